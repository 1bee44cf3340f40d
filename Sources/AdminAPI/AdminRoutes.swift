import Access
package import AdAttribution
package import AuditTrail
import HTTPTypes
import Hummingbird
package import Logging
package import Observability
package import PostbackIngest
package import PostbackStore
package import Reports
import Synchronization

/// The routes of the admin listener.
///
/// Health, readiness and the texts about errors are for everybody; the others need a token with a scope.
package struct AdminRoutes: Sendable {
    let impressions: ImpressionSigning
    let webAds: WebAdLinks
    let reports: ReportRoutes
    let events: EventFeed
    let notifications: NotificationFeed
    let readers: EventReaders
    let loads: LoadRoutes
    let appleAds: AppleAdsTokens
    let loaded: LoadedRoutes
    let history: LoadHistoryRoutes
    let destinations: DestinationRoutes
    let trail: TrailRoute
    let readiness: Readiness
    let files: ServerFiles
    let exposition: @Sendable () -> String
    /// Whether metrics need a token.
    let guardsMetrics: Bool

    /// Makes the routes.
    ///
    /// - Parameters:
    ///   - timeToLive: The default time for which the link of a web ad is valid.
    ///   - reportsDatabase: Which database an error of a report names.
    ///   - files: What `/v1/reload` reads again.
    ///   - exposition: The text of the metrics.
    ///   - guardsMetrics: Whether metrics need a token.
    package init(
        store: PostbackStore, keyRing: KeyRingInForce, counter: ImpressionCounter, trail: Trail,
        metrics: ServiceMetrics, timeToLive: WebAdParameters.TimeToLive, reportsDatabase: ReportRoutes.Database,
        reportLimits: ReportLimits, readiness: Readiness, files: ServerFiles, timeZone: ReportTimeZone,
        clock: WallClock, exposition: @escaping @Sendable () -> String, guardsMetrics: Bool, logger: Logger
    ) {
        impressions = ImpressionSigning(
            keyRing: keyRing, counter: counter, trail: trail, clock: clock, metrics: metrics)
        webAds = WebAdLinks(
            keyRing: keyRing, store: store, trail: trail, timeToLive: timeToLive, clock: clock, logger: logger)
        reports = ReportRoutes(
            store: store, database: reportsDatabase, limits: reportLimits,
            clock: ReportClock(clock.milliseconds, in: timeZone), logger: logger)
        loads = LoadRoutes(store: store, keyRing: keyRing, logger: logger)
        appleAds = AppleAdsTokens(store: store, trail: trail, logger: logger)
        loaded = LoadedRoutes(store: store, clock: ReportClock(clock.milliseconds, in: timeZone), logger: logger)
        history = LoadHistoryRoutes(store: store, logger: logger)
        events = EventFeed(store: store, logger: logger)
        notifications = NotificationFeed(store: store, logger: logger)
        readers = EventReaders(store: store, trail: trail, logger: logger)
        destinations = DestinationRoutes(store: store, trail: trail, logger: logger)
        self.trail = TrailRoute(store: store, logger: logger)
        self.readiness = readiness
        self.files = files
        self.exposition = exposition
        self.guardsMetrics = guardsMetrics
    }

    /// All of them.
    package var all: [AdminRoute] {
        let described =
            [
                health, ready, metrics, errors, impressions.route, webAds.route, files.route, events.route,
                notifications.route,
            ]
            + readers.routes + reports.routes + loaded.routes + loads.routes + history.routes
            + destinations.routes + [appleAds.route, trail.route]
        return described + [openAPI(described)]
    }

    /// The description of these routes and of its own, written when somebody first asks for it.
    private func openAPI(_ others: [AdminRoute]) -> AdminRoute {
        func route(_ handler: @escaping AdminRoute.Handler) -> AdminRoute {
            AdminRoute(
                method: .get, path: OpenAPIDocument.path, summary: "This description, OpenAPI 3.1", needs: .nothing,
                query: .ignored, contentTypes: ["application/json"], answer: .anything, handler: handler)
        }
        let all = others + [route { _ in throw Problem.notFound }]
        let written = Mutex<String?>(nil)
        return route { _ in
            let text = written.withLock { text in
                let document = text ?? String(decoding: OpenAPIDocument(routes: all).text, as: UTF8.self)
                text = document
                return document
            }
            return .text(text, contentType: "application/json")
        }
    }

    private var health: AdminRoute {
        AdminRoute(
            method: .get, path: "/health", summary: "Whether the server is alive", needs: .nothing, query: .ignored,
            contentTypes: ["application/json"], answer: .status
        ) { _ in .json(.ok, "{\"status\":\"alive\"}".utf8) }
    }

    private var ready: AdminRoute {
        AdminRoute(
            method: .get, path: "/ready", summary: "Whether a postback could be stored now", needs: .nothing,
            query: .ignored, contentTypes: ["application/json"], answer: .status, problems: [.unavailable]
        ) { [readiness] _ in try await readiness.response() }
    }

    private var metrics: AdminRoute {
        AdminRoute(
            method: .get, path: "/metrics", summary: "Metrics for Prometheus",
            needs: .scopeBySetting(.read, isSet: guardsMetrics), query: .ignored,
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
            ], needs: .nothing, query: .ignored, contentTypes: ["text/plain; charset=utf-8"], problems: [.notFound]
        ) { request in
            guard let kind = request.path["kind"].flatMap(ProblemKind.init) else { throw Problem.notFound }
            return .text("\(kind.status.code) \(kind.title)\n\n\(kind.advice)\n\nMore: docs/http-api.md, Errors\n")
        }
    }
}
