package import NIOCore
package import PostbackStore

/// The other end of a connection.
package enum ConnectionPeer: Sendable, Hashable, CustomStringConvertible {
    /// A TCP client.
    case address(IPAddress)
    /// A client of a Unix-domain socket, which has no address.
    case unixSocket
    /// A connection that was reset before its peer could be read.
    case unknown

    /// The peer with the address of a socket, without port and zone.
    package init(_ address: SocketAddress?) {
        switch address {
        case .v4(let address):
            self = .address(IPAddress(ipv4: Self.number(in: address.address, at: 4)))
        case .v6(let address):
            self = .address(IPAddress(ipv6: Self.number(in: address.address, at: 8)))
        case .unixDomainSocket: self = .unixSocket
        case nil: self = .unknown
        }
    }

    /// Reads a number in network byte order from a `sockaddr_in` (address at byte 4) or a `sockaddr_in6` (at byte 8).
    ///
    /// The layouts are fixed by Linux. Their members have no names here: which module they belong to depends on the
    /// build.
    private static func number<Address, Number: FixedWidthInteger & BitwiseCopyable>(
        in address: Address, at offset: Int
    ) -> Number {
        withUnsafeBytes(of: address) { Number(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }

    /// Its address, or what it is.
    package var description: String {
        switch self {
        case .address(let address): address.description
        case .unixSocket: "unix"
        case .unknown: "unknown"
        }
    }

    /// Its address, of IPv6 the network of 64 bits, which one client has as a whole; or what it is.
    package var network: String {
        guard case .address(let address) = self, address.family == .ipv6 else { return description }
        return "\(IPAddress(ipv6: (address.bits >> 64) << 64))/64"
    }

    /// Its address, if it has one.
    var address: IPAddress? {
        if case .address(let address) = self { address } else { nil }
    }
}
