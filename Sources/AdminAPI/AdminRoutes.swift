package import AdAttribution
import HTTPTypes
import Hummingbird
package import Logging
package import Observability
package import PostbackIngest
package import PostbackStore
package import Reports

/// The routes of the admin listener.
///
/// Signing, links, reports and reloading need the bearer token; health, readiness, metrics and the texts about errors do
/// not.
package struct AdminRoutes: Sendable {
    let impressions: ImpressionSigning
    let webAds: WebAdLinks
    let reports: ReportRoutes
    let events: EventFeed
    let readers: EventReaders
    let readiness: Readiness
    let files: ServerFiles
    let exposition: @Sendable () -> String

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - timeToLive: The default time for which the link of a web ad is valid.
    ///   - reportsDatabase: Which database an error of a report names.
    ///   - files: What `/v1/reload` reads again.
    ///   - exposition: The text of the metrics.
    package init(
        store: PostbackStore, keyRing: KeyRingInForce, counter: ImpressionCounter, metrics: ServiceMetrics,
        timeToLive: WebAdParameters.TimeToLive, reportsDatabase: ReportRoutes.Database, reportLimits: ReportLimits,
        readiness: Readiness, files: ServerFiles, timeZone: ReportTimeZone, clock: WallClock,
        exposition: @escaping @Sendable () -> String,
        logger: Logger
    ) {
        impressions = ImpressionSigning(keyRing: keyRing, counter: counter, clock: clock, metrics: metrics)
        webAds = WebAdLinks(keyRing: keyRing, store: store, timeToLive: timeToLive, clock: clock, logger: logger)
        reports = ReportRoutes(
            store: store, database: reportsDatabase, limits: reportLimits,
            clock: ReportClock(clock.milliseconds, in: timeZone), logger: logger)
        events = EventFeed(store: store, logger: logger)
        readers = EventReaders(store: store, logger: logger)
        self.readiness = readiness
        self.files = files
        self.exposition = exposition
    }

    /// All of them.
    package var all: [AdminRoute] {
        let described =
            [health, ready, metrics, errors, impressions.route, webAds.route, files.route, events.route]
            + readers.routes
            + reports.routes
        return described + [openAPI(described)]
    }

    /// The description of these routes and of its own.
    private func openAPI(_ others: [AdminRoute]) -> AdminRoute {
        func route(_ handler: @escaping AdminRoute.Handler) -> AdminRoute {
            AdminRoute(
                method: .get, path: OpenAPIDocument.path, summary: "This description, OpenAPI 3.1", needsToken: false,
                query: .ignored, contentTypes: ["application/json"], answer: .anything, handler: handler)
        }
        let all = others + [route { _ in throw Problem.notFound }]
        let text = String(decoding: OpenAPIDocument(routes: all).text, as: UTF8.self)
        return route { _ in .text(text, contentType: "application/json") }
    }

    private var health: AdminRoute {
        AdminRoute(
            method: .get, path: "/health", summary: "Whether the server is alive", needsToken: false, query: .ignored,
            contentTypes: ["application/json"], answer: .status
        ) { _ in .json(.ok, "{\"status\":\"alive\"}".utf8) }
    }

    private var ready: AdminRoute {
        AdminRoute(
            method: .get, path: "/ready", summary: "Whether a postback could be stored now", needsToken: false,
            query: .ignored, contentTypes: ["application/json"], answer: .status, problems: [.unavailable]
        ) { [readiness] _ in try await readiness.response() }
    }

    private var metrics: AdminRoute {
        AdminRoute(
            method: .get, path: "/metrics", summary: "Metrics for Prometheus", needsToken: false, query: .ignored,
            contentTypes: [PrometheusRegistry.contentType]
        ) { [exposition] _ in .text(exposition(), contentType: PrometheusRegistry.contentType) }
    }

    /// Where the member `type` of an error leads.
    private var errors: AdminRoute {
        AdminRoute(
            method: .get, path: ProblemKind.path + "/{kind}", summary: "What a kind of error means",
            segments: [
                .init(
                    name: "kind", meaning: "the last part of the member type of an error",
                    rule: "must be a kind of error",
                    choices: ProblemKind.allCases.map(\.rawValue))
            ], needsToken: false, query: .ignored, contentTypes: ["text/plain; charset=utf-8"], problems: [.notFound]
        ) { request in
            guard let kind = request.path["kind"].flatMap(ProblemKind.init) else { throw Problem.notFound }
            return .text("\(kind.status.code) \(kind.title)\n\n\(kind.advice)\n\nMore: docs/http-api.md, Errors\n")
        }
    }
}
