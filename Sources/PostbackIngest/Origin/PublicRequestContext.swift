import Hummingbird
import NIOCore

/// What the public listener knows about a request beside the request itself: the other end of its connection.
struct PublicRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Read at the start, since a connection that was reset no longer knows its peer.
    private let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }

    /// The other end of the connection.
    var peer: ConnectionPeer { ConnectionPeer(remoteAddress) }
}
