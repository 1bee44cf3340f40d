package import Destinations
package import Foundation
package import PostgresClient

/// The right of one server to send for a destination.
///
/// It lasts for ten seconds by the database's clock, and is renewed before. Each lease has a greater number than those
/// before it, and nothing is stored under an earlier one: a server that was stopped and woken up writes nothing.
package struct Lease: Sendable, Hashable {
    /// The destination.
    package let name: DestinationName
    /// The server that sends.
    package let server: UUID
    /// How often a server began to send.
    package let fence: Int64
    /// When the file was loaded that the destination had when the lease was taken.
    package let loadedAt: PostgresTimestamp

    /// The parameters of statements about it: name, server and fence.
    var bindings: PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(name.description)
        bindings.append(server)
        bindings.append(fence)
        return bindings
    }
}

/// Another server sends for the destination, or it was removed: nothing was stored.
package struct LeaseLost: Error, Sendable, Equatable, CustomStringConvertible {
    /// The destination.
    package let name: DestinationName

    package var description: String { "another server sends for \(name), or it was removed" }
}
