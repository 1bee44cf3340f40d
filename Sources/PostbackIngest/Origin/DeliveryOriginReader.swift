package import NIOCore
import NIOHTTP1
package import PostbackStore

/// Reads the source address and User-Agent of a delivery.
package enum DeliveryOriginReader: Sendable, Hashable, CustomStringConvertible {
    /// Neither is kept.
    case off
    /// The address is that of the connection's peer.
    case connection
    /// The address is that of the peer, or what a trusted proxy says in a header.
    case proxies(TrustedProxies, ForwardedHeader)

    /// What the log says about it at the start.
    package var description: String {
        switch self {
        case .off: "off"
        case .connection: "connection"
        case .proxies(_, let header): header.text
        }
    }

    /// The origin of a request.
    func origin(of peer: ConnectionPeer, _ headers: HTTPHeaders) -> DeliveryOrigin {
        let source: IPAddress?
        switch self {
        case .off: return .unknown
        case .connection: source = peer.address
        case .proxies(let proxies, let header):
            source = Self.source(of: peer, proxies, headers[header.text], header)
        }
        return DeliveryOrigin(address: source, userAgent: headers.first(name: "User-Agent"))
    }

    /// The source address in the header.
    ///
    /// Each proxy appends the address that called it. So only the right end of the header is reliable, as far as
    /// trusted proxies wrote it. Entries are read from the right. The first address that is not trusted is the source.
    /// If an entry is not an address, the last address to its right is the source.
    private static func source(
        of peer: ConnectionPeer, _ proxies: TrustedProxies, _ lines: [String], _ header: ForwardedHeader
    ) -> IPAddress? {
        var source = peer.address
        guard proxies.contains(peer) else { return source }
        for line in lines.reversed() {
            for entry in header.entriesFromTheRight(of: line) {
                guard let address = header.address(in: entry) else { return source }
                source = address
                guard proxies.contains(address) else { return source }
            }
        }
        return source
    }
}

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
