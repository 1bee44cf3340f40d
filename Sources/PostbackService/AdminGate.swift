import AdminAPI
import HTTPListener
import HTTPTypes
import Hummingbird

/// Stands before all that the admin listener answers: it refuses requests that are meant for another server, and says of
/// each answer that browsers must not guess its type.
struct AdminGate<Next: HTTPResponder>: HTTPResponder {
    /// The names by which this server may be asked; nil for any, where no browser can ask.
    let names: AdminNames?
    let next: Next

    func respond(to request: Request, context: Next.Context) async throws -> Response {
        var response =
            isForUs(request)
            ? try await next.respond(to: request, context: context)
            : Response(Problem(.misdirected, field: "host", rule: "must be a name of this server, or its address"))
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    private func isForUs(_ request: Request) -> Bool {
        guard let names else { return true }
        // Only HTTP/1.0 has no Host, and no browser speaks it.
        guard let host = request.head.authority else { return true }
        return RequestHost(host).map(names.contains) ?? false
    }
}
