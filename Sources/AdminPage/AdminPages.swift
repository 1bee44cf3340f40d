import AdAttribution
package import AdminAPI
import AppStoreData
package import AuditTrail
import DestinationPages
package import Forwarding
package import Logging
package import Observability
package import PageRequests
import PageViews
package import PostbackIngest
package import PostbackStore
package import PostgresClient
package import Reports

/// The page of the admin listener, wired.
package struct AdminPages: Sendable {
    package let router: PageRouter

    /// The greatest number of bytes of the body of a request.
    package static let maximumBodySize = PageForm.greatestAnswerSize

    /// Wires the page.
    ///
    /// - Parameters:
    ///   - tests: Sends tests to destinations.
    ///   - secrets: The secrets that destinations name, as this server has them.
    /// - Throws: An error of a template.
    package init(
        store: PostbackStore, keyRing: KeyRingInForce, tokens: TokenCheck, proxy: SignOnProxy? = nil, trail: Trail,
        installedAt: PostgresTimestamp,
        timeZone: ReportTimeZone, limits: ReportLimits, clock: WallClock, tests: TestDelivery, secrets: SecretFiles,
        exposition: @escaping @Sendable () -> String, logger: Logger
    ) throws {
        let responses = PageResponses(templates: try PageTemplates())
        let days = ReportClock(clock.milliseconds, in: timeZone)
        let reader = FigureReader(store: store, limits: limits, clock: days)
        let appStore: ReportScreen.Plan = { (filters, reports) throws(FieldError) in
            let apps = keyRing.current.store?.trust.apps ?? [:]
            return try AppStoreScreen.content(filters, reports, apps: Array(apps.values))
        }
        let reports = Self.reports + [(AppStoreScreen.place, AppStoreScreen.parameters, appStore)]
        let sessions = PageSessions(store: store, tokens: tokens, installedAt: installedAt, clock: clock)
        router = PageRouter(
            sessions: sessions, tokens: tokens, proxy: proxy, trail: trail, responses: responses,
            screens: reports.map { place, parameters, plan in
                ReportScreen(place: place, parameters: parameters, reader: reader, responses: responses, plan: plan)
            } + [
                NotificationScreen(
                    store: store, keyRing: keyRing, trail: trail, clock: clock, responses: responses),
                RefusedScreen(
                    store: store, keyRing: keyRing, trail: trail, responses: responses, logger: logger),
                LiveScreen(feed: LiveFeed(store: store, logger: logger), sessions: sessions, responses: responses),
                SchemeScreen(store: store, responses: responses),
                MappingScreen(store: store, keyRing: keyRing, clock: days, responses: responses),
                SpendScreen(store: store, keyRing: keyRing, responses: responses),
                DestinationScreen(
                    store: store, tests: tests, secrets: secrets, trail: trail, responses: responses),
                SystemScreen(
                    store: store, keyRing: keyRing, startedAt: clock.milliseconds(), exposition: exposition,
                    responses: responses),
                TrailScreen(store: store, responses: responses),
            ], logger: logger)
    }

    /// The screens that reports answer, with their parameters beside the filters.
    private static let reports: [(ScreenPlace, [String], ReportScreen.Plan)] = [
        (OverviewScreen.place, [], OverviewScreen.content),
        (CampaignScreen.place, CampaignScreen.parameters, CampaignScreen.content),
        (OneCampaignScreen.place, [], OneCampaignScreen.content),
        (ValueScreen.place, [], ValueScreen.content),
        (WindowScreen.place, [], WindowScreen.content),
        (CopyScreen.place, [], CopyScreen.content),
    ]
}
