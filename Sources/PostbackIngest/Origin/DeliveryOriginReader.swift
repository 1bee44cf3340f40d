import NIOHTTP1
import PostbackStore

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
