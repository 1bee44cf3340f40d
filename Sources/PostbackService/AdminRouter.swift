import Access
import AdminAPI
import HTTPTypes
import Hummingbird
import Logging
import PageRequests
import PostbackIngest

/// Finds the route of a request of the admin listener, checks the token and the query, and answers errors.
///
/// Another path is answered 404, to a browser as a page. A known path with another method is answered 405. One trailing
/// slash makes no difference; there are no redirects.
struct AdminRouter: HTTPResponder {
    let routes: [AdminRoute]
    /// Checks tokens; without any, routes that need one answer 401.
    let tokens: TokenCheck
    /// The page for people, which has paths of its own.
    let page: PageRouter

    func respond(to request: Request, context: AdminContext) async throws -> Response {
        do {
            // Where a path is compared, empty segments may be left out.
            guard !request.uri.path.contains("//") else { throw Problem.notFound }
            if let response = try await page.respond(to: request, from: context.peer) { return response }
            let (route, path) = try route(of: request)
            var caller: Caller?
            if let scope = route.needs.scope { caller = try await self.caller(request, scope, from: context.peer) }
            return try await route.handler(AdminRequest(request, route, path: path, of: caller, from: context.peer))
        } catch let problem as Problem {
            guard problem == .notFound, Self.isOfPeople(request) else { return Response(problem) }
            return try await page.nothing(at: request, from: context.peer)
        }
    }

    /// Whether somebody types addresses into a browser: outside the API, and where HTML is accepted by name.
    private static func isOfPeople(_ request: Request) -> Bool {
        guard [.get, .head].contains(request.method), request.uri.path.split(separator: "/").first != "v1" else {
            return false
        }
        let ranges = request.headers[values: .accept].flatMap { $0.split(separator: ",") }
        return ranges.contains { $0.prefix { $0 != ";" }.filter { $0 != " " }.lowercased() == "text/html" }
    }

    private func route(of request: Request) throws(Problem) -> (AdminRoute, path: [String: String]) {
        let segments = request.uri.path.split(separator: "/")
        let found = routes.compactMap { route in route.values(in: segments).map { (route, path: $0) } }
        guard !found.isEmpty else { throw .notFound }
        if let route = found.first(where: { $0.0.method == request.method }) { return route }
        let methods = Set(found.map(\.0.method.rawValue)).sorted().joined(separator: ", ")
        throw Problem(
            .methodNotAllowed, field: "method", rule: "must be \(methods)",
            headers: [HTTPField(name: .allow, value: methods)])
    }

    /// Whose token a request has, which must have a scope.
    private func caller(
        _ request: Request, _ scope: Scope, from peer: ConnectionPeer
    ) async throws(Problem) -> Caller {
        guard let token = TokenCheck.offered(by: request.headers),
            let caller = await tokens.caller(token, .bearer, from: peer)
        else {
            throw Problem(
                .unauthorized, field: "authorization",
                rule: tokens.hasTokens
                    ? "must be Bearer and a token of this server"
                    : "no ADMIN_TOKEN is set, and tokens.json has no token",
                headers: [HTTPField(name: .wwwAuthenticate, value: "Bearer")])
        }
        guard caller.may(scope) else { throw tokens.denial(of: scope, to: caller, from: peer) }
        return caller
    }
}

/// What the framework tells of the connection of a request to the admin listener.
struct AdminContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who sent the request; behind a proxy, the proxy.
    let peer: ConnectionPeer

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = ConnectionPeer(source.channel.remoteAddress)
        // The framework's own id is a number of this process; lines of the log have ours.
        logger[metadataKey: "hb.request.id"] = nil
    }
}
