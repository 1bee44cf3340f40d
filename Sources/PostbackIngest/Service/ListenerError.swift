/// Why a listener can't be bound.
///
/// Often its port is in use, or its host is not an address of this machine.
package struct ListenerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The listener: `postbacks` or `admin`.
    package let name: String
    /// The host of the address.
    package let host: String
    /// The port of the address.
    package let port: Int
    /// The system's reason.
    package let reason: String

    /// Listener, address and reason in one line.
    package var description: String { "listener \(name): \(host):\(port): \(reason)" }
}
