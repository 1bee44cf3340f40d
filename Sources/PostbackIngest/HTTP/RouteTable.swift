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

    /// A path as it may be written.
    static func spellings(_ path: String) -> [String] { [path, path + "/"] }

    /// Adds a handler for one path, given without a trailing slash.
    mutating func on(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        for spelling in Self.spellings(path) { handlers[spelling, default: [:]][method] = handler }
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let path = request.uri.path
        guard let methods = handlers[path] else { return Response(.notFound) }
        if let handler = methods[request.method] { return try await handler(request, context) }
        return Response(.methodNotAllowed(methods.keys.map(\.rawValue).sorted().joined(separator: ", ")))
    }
}
