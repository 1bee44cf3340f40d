import HTTPTypes
import Hummingbird
import NIOCore
import Observability

/// The admin listener.
///
/// Signing, links and reports need the bearer token; health, readiness and metrics do not.
struct AdminRoutes: Sendable {
    typealias Handler = RouteTable<BasicRequestContext>.Handler

    let token: BearerToken?
    let impressions: ImpressionSigning
    let webAds: WebAdLinks
    let reports: CampaignReports
    let readiness: Readiness
    let exposition: @Sendable () -> String

    func table() -> RouteTable<BasicRequestContext> {
        var table = RouteTable<BasicRequestContext>()
        table.on(.get, "/health") { _, _ in .json(.ok, "{\"status\":\"alive\"}".utf8) }
        table.on(.get, "/ready") { [readiness] _, _ in await readiness.response() }
        table.on(.get, "/metrics") { [exposition] _, _ in
            Response(
                status: .ok, headers: [.contentType: PrometheusRegistry.contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(string: exposition())))
        }
        table.on(.post, "/v1/impressions", guarded { [impressions] in try await impressions.respond(to: $0) })
        table.on(.post, "/v1/web-ads", guarded { [webAds] in try await webAds.respond(to: $0) })
        table.on(.get, "/v1/reports/campaigns", guarded { [reports] in try await reports.respond(to: $0) })
        return table
    }

    private func guarded(_ handler: @escaping @Sendable (Request) async throws -> Response) -> Handler {
        { [token] request, _ in
            guard let token, token.allows(request.headers) else {
                var response = Response.error(
                    .unauthorized, field: "authorization",
                    rule: token == nil ? "no ADMIN_TOKEN is set" : "must be Bearer and the admin token")
                response.headers[.wwwAuthenticate] = "Bearer"
                return response
            }
            return try await handler(request)
        }
    }
}
