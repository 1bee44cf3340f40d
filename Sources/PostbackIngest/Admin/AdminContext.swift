// The compiler reads this file first. What it imports first defines the types of glibc for the whole module, and
// `WallClock` and others can name Foundation's modules only, not NIO's.
import Foundation
import Hummingbird

/// What the framework tells of the connection of a request to the admin listener.
struct AdminContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who sent the request; behind a proxy, the proxy.
    let peer: ConnectionPeer

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = ConnectionPeer(source.channel.remoteAddress)
    }
}
