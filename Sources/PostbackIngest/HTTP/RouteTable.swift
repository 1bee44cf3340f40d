import HTTPTypes
import Hummingbird

/// A listener's paths and methods.
///
/// Another path is answered 404, a known path with another method 405.
///
/// A trailing slash makes no difference; there are no redirects.
struct RouteTable<Context: RequestContext>: HTTPResponder {
    typealias Handler = @Sendable (Request, Context) async throws -> Response

    private var handlers: [String: [HTTPRequest.Method: Handler]] = [:]
    /// Methods that somebody else answers before a request comes here.
    private var reserved: [String: Set<HTTPRequest.Method>] = [:]

    /// A path as it may be written.
    static func spellings(_ path: String) -> [String] { [path, path + "/"] }

    /// Adds a handler for one path, given without a trailing slash.
    mutating func on(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        for spelling in Self.spellings(path) { handlers[spelling, default: [:]][method] = handler }
    }

    /// Makes a path known that is answered before a request comes here; its other methods are 405 then.
    mutating func reserve(_ method: HTTPRequest.Method, _ path: String) {
        for spelling in Self.spellings(path) { reserved[spelling, default: []].insert(method) }
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let path = request.uri.path
        let methods = handlers[path] ?? [:]
        if let handler = methods[request.method] { return try await handler(request, context) }
        let known = reserved[path, default: []].union(methods.keys)
        guard !known.isEmpty else { return .error(.notFound, field: "path", rule: "nothing is here") }
        let allowed = known.map(\.rawValue).sorted().joined(separator: ", ")
        var response = Response.error(.methodNotAllowed, field: "method", rule: "must be \(allowed)")
        response.headers[.allow] = allowed
        return response
    }
}
