import HTTPTypes
import PostbackStore

/// Where the source address and User-Agent of a delivery are taken from.
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
    func origin(of peer: ConnectionPeer, _ headers: HTTPFields) -> DeliveryOrigin {
        let source: IPAddress?
        switch self {
        case .off: return .unknown
        case .connection: source = peer.address
        case .proxies(let proxies, let header):
            source = Self.source(of: peer, proxies, headers[values: header.name], header)
        }
        return DeliveryOrigin(address: source, userAgent: headers[values: .userAgent].first)
    }

    /// The last address that a trusted party vouches for.
    ///
    /// Each proxy appends the address that it was called from. So only the right end of the header can be believed, as
    /// far as the proxies that wrote it are trusted. The walk goes from the right. It ends at the first address
    /// that is not trusted, which is the source. An entry that is no address ends it too; then the last address to its
    /// right is the source.
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
