import HTTPLimits
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
        guard let host = Self.authority(of: request.uri.string) ?? request.head.authority else { return true }
        return RequestHost(host).map(names.contains) ?? false
    }

    /// The authority of a target in absolute form, which counts more than `Host` (RFC 9112, section 3.2.2); nil if the
    /// target has another form.
    private static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return nil }
        return String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }
}
