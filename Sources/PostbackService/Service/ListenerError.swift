/// Why a listener does not listen: most likely its port is taken or its host is none of this machine's.
public struct ListenerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The listener: `postbacks` or `admin`.
    public let name: String
    /// The host it should be bound to.
    public let host: String
    /// The port it should be bound to.
    public let port: Int
    /// What the system said.
    public let reason: String

    /// Listener, address and reason in one line.
    public var description: String { "listener \(name): \(host):\(port): \(reason)" }
}
