import HTTPTypes
import Hummingbird

/// A listener's paths and methods: anything else is 404, a known path with another method 405.
///
/// A trailing slash makes no difference; there are no redirects, since Apple's devices follow none.
struct RouteTable<Context: RequestContext>: HTTPResponder {
    typealias Handler = @Sendable (Request, Context) async throws -> Response

    private var handlers: [String: [HTTPRequest.Method: Handler]] = [:]

    /// Adds a handler for one path, given without a trailing slash.
    mutating func on(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
        for spelling in [path, path + "/"] { handlers[spelling, default: [:]][method] = handler }
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        guard let methods = handlers[request.uri.path] else {
            return .error(.notFound, field: "path", rule: "nothing is here")
        }
        guard let handler = methods[request.method] else {
            let allowed = methods.keys.map(\.rawValue).sorted().joined(separator: ", ")
            var response = Response.error(.methodNotAllowed, field: "method", rule: "must be \(allowed)")
            response.headers[.allow] = allowed
            return response
        }
        return try await handler(request, context)
    }
}
