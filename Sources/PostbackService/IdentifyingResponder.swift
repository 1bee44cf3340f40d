import HTTPTypes
import Hummingbird
import Observability
import PostbackIngest

/// Stands before everything that the admin listener answers: gives each request its id, which lines of the log and the
/// answer have.
struct IdentifyingResponder<Next: HTTPResponder>: HTTPResponder where Next.Context == AdminContext {
    /// The peers whose ids are taken; nil if nobody's are.
    let trusted: TrustedProxies?
    let next: Next

    func respond(to request: Request, context: AdminContext) async throws -> Response {
        let isTrusted = trusted?.contains(context.peer) ?? false
        let identity = RequestIdentity(of: request.headers, isTrusted: isTrusted) { headers, name in
            HTTPField.Name(name).map { headers[values: $0] } ?? []
        }
        var response = try await identity.withScope { try await next.respond(to: request, context: context) }
        if let name = HTTPField.Name(RequestID.header) { response.headers[name] = identity.id.description }
        return response
    }
}
