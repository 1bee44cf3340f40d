/// Why a listener does not listen: most likely its port is taken or its host is none of this machine's.
package struct ListenerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The listener: `postbacks` or `admin`.
    package let name: String
    /// The host it should be bound to.
    package let host: String
    /// The port it should be bound to.
    package let port: Int
    /// What the system said.
    package let reason: String

    /// Listener, address and reason in one line.
    package var description: String { "listener \(name): \(host):\(port): \(reason)" }
}
