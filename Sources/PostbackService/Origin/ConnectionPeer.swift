import Glibc
import NIOCore
import PostbackStore

/// The other end of a connection.
enum ConnectionPeer: Sendable, Hashable {
    /// A TCP client.
    case address(IPAddress)
    /// A client of a Unix-domain socket, which has no address.
    case unixSocket
    /// A connection that was reset before its peer could be read.
    case unknown

    /// The peer under the address that the socket gives; the port and the zone are left out.
    init(_ address: SocketAddress?) {
        switch address {
        case .v4(let address):
            self = .address(IPAddress(ipv4: UInt32(bigEndian: address.address.sin_addr.s_addr)))
        case .v6(let address):
            let number = withUnsafeBytes(of: address.address.sin6_addr) { $0.loadUnaligned(as: UInt128.self) }
            self = .address(IPAddress(ipv6: UInt128(bigEndian: number)))
        case .unixDomainSocket: self = .unixSocket
        case nil: self = .unknown
        }
    }

    /// Its address, if it has one.
    var address: IPAddress? {
        if case .address(let address) = self { address } else { nil }
    }
}
