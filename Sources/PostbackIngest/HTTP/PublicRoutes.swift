import Hummingbird
import HummingbirdCore
import NIOHTTP1

/// The public listener: postbacks and the signed payloads of web ads, and nothing else.
enum PublicRoutes {
    /// The paths of postbacks.
    ///
    /// Both take both protocols, because a network registers one URL for all postbacks.
    static let postbackPaths = [
        "/.well-known/skadnetwork/report-attribution",
        "/.well-known/appattribution/report-attribution",
    ]

    /// What the framework answers: everything but postbacks, which `PostbackChannelHandler` takes before.
    static func table(_ payloads: SignedPayloads) -> RouteTable<BasicRequestContext> {
        var table = RouteTable<BasicRequestContext>()
        for path in postbackPaths { table.reserve(.post, path) }
        table.on(.post, SignedPayloads.path) { request, _ in try await payloads.respond(to: request) }
        return table
    }

    /// True if a request is to be taken as a postback.
    static func isPostback(_ head: HTTPRequestHead) -> Bool {
        guard head.method == .POST else { return false }
        // A target with a query or a host is rare, and is read as the framework reads it.
        return spellings.contains(head.uri) || spellings.contains(URI(head.uri).path)
    }

    private static let spellings = Set(postbackPaths.flatMap(RouteTable<BasicRequestContext>.spellings))
}
