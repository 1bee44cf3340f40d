import HummingbirdCore
import Logging
import NIOCore

/// Where a listener is bound.
enum ListenerPlace: Sendable, CustomStringConvertible {
    case address(ServiceConfiguration.ListenerAddress)
    case socket(SocketPath)

    var description: String {
        switch self {
        case .address(let address): "\(address.host):\(address.port)"
        case .socket(let path): path.text
        }
    }

    /// Whether it is reached over TCP.
    var isAddress: Bool { if case .address = self { true } else { false } }

    /// The same for the framework.
    var bindAddress: BindAddress {
        switch self {
        case .address(let address): .hostname(address.host, port: address.port)
        case .socket(let path): .unixDomainSocket(path: path.text)
        }
    }

    /// The names by which the admin listener may be asked here: these, and the host at which it is bound.
    ///
    /// Nil for any: no browser reaches a Unix socket.
    func names(beside names: AdminNames) -> AdminNames? {
        guard case .address(let address) = self else { return nil }
        var names = names
        names.add(bound: address.host)
        return names
    }

    /// What the log says of it once it is bound: the port may have been chosen by the system.
    func metadata(_ channel: any Channel) -> Logger.Metadata {
        switch self {
        case .address(let address):
            ["host": "\(address.host)", "port": "\(channel.localAddress?.port ?? address.port)"]
        case .socket(let path): ["path": "\(path.text)"]
        }
    }
}
