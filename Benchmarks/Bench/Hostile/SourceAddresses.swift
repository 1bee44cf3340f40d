import NIOCore
import Synchronization

/// Addresses of this machine from which connections come, in turns.
///
/// An address has about 28,000 ports, and a port is in use for a minute after its connection. So one is not enough.
final class SourceAddresses: Sendable {
    private let addresses: [SocketAddress]
    private let next = Atomic(0)

    /// The addresses 127.0.0.2 and following.
    init(count: Int) throws {
        addresses = try (0..<count).map { try SocketAddress(ipAddress: "127.0.0.\(2 + $0)", port: 0) }
    }

    /// The next address in turn.
    func take() -> SocketAddress {
        addresses[next.wrappingAdd(1, ordering: .relaxed).oldValue % addresses.count]
    }
}
