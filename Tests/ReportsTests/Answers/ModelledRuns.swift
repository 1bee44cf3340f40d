import CampaignData
import ConversionSchemes
import PostgresClient
import TestSupport

@testable import AdAttribution
@testable import CampaignData
@testable import PostbackSimulation
@testable import PostbackStore

/// Many small simulations in time with withheld values, each of an app and a seed of its own, in one database.
///
/// Only postbacks of window 0 are stored, since only they can have a withheld value.
struct ModelledRuns: Sendable {
    /// What the buckets of revenue say.
    enum Scheme {
        /// Ten ranges, the last one open, as an app would have them. Users pay five prices.
        case ranges
        /// Each value is one exact sum: users pay one price, and the number is how often.
        case exact
    }

    /// The users behind the mapped and the withheld values of a run.
    struct Truth: Equatable {
        var mapped = 0
        var withheld = 0
        /// What they paid in window 0, in cents.
        var cents: Int64 = 0
    }

    static let firstApp: Int64 = 2_000_000_000
    private static let price: Int64 = 199
    /// The mixes of versions, one for each run in turn: they are version classes of their own.
    private static let versions: [[String: Double]] = [
        ["4.0": 1], ["adattributionkit": 1], ["2.0": 1, "2.2": 2, "3.0": 4],
    ]

    let scheme: Scheme
    let count: Int
    /// Conversions a run.
    var size = 210.0
    /// Changes the settings of each run.
    var change: @Sendable (inout TimelineSettings) -> Void = { $0.privacy = .random(share: 0.3) }

    init(_ scheme: Scheme, count: Int) {
        (self.scheme, self.count) = (scheme, count)
    }

    private var bounds: [Int64] {
        switch scheme {
        case .ranges: [1, 150, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000]
        case .exact: (1...40).map { $0 * Self.price }
        }
    }

    private func settings(_ run: Int) -> TimelineSettings {
        var settings = TimelineSettings()
        // A Monday, so that nearly all installs are of one week.
        settings.begin = "2026-07-06"
        settings.days = 7
        settings.installsADay = size / 7
        settings.networks = [.init(adNetworkID: "example123.skadnetwork", weight: 1)]
        settings.apps = [.init(appID: Self.firstApp + Int64(run), weight: 1, models: [.revenue(buckets: bounds)])]
        settings.campaigns = [5, 2, 1]
        settings.versions = Self.versions[run % Self.versions.count]
        settings.retryShare = 0
        if scheme == .exact { settings.prices = [.init(cents: Self.price, weight: 1)] }
        change(&settings)
        return settings
    }

    private func schemeFile(_ run: Int) throws -> ConversionScheme {
        func amount(_ cents: Int64) -> String { "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)" }
        let values = bounds.enumerated().map { index, bound in
            let end =
                scheme == .exact ? bound : index + 1 < bounds.count ? bounds[index + 1] - 1 : nil
            let to = end.map { ", \"to\": \(amount($0))" } ?? ""
            return """
                {"value": \(index + 1), "events": [{"name": "purchase", "revenue": {"from": \(amount(bound))\(to)}}]}
                """
        }
        let text = """
            {"app-id": \(Self.firstApp + Int64(run)), "name": "revenue", "valid-from": "2026-06-01T00:00:00Z",
             "currency": "USD", "measurement-window-hours": 48,
             "fine": [{"value": 0, "events": []}, \(values.joined(separator: ", "))]}
            """
        return try SchemeFile.read(Array(text.utf8))
    }

    /// Simulates, stores and folds all runs.
    ///
    /// - Returns: The truth of each run, by its place.
    func store(in store: PostbackStore) async throws -> [Truth] {
        let keys = try TestKeys()
        _ = try await store.load((0..<count).map(schemeFile))
        var truth: [Truth] = []
        for start in stride(from: 0, to: count, by: 20) {
            let runs = try await withThrowingTaskGroup(of: (Int, [PostbackDelivery], Truth).self) { group in
                for run in start..<min(start + 20, count) {
                    group.addTask {
                        let (deliveries, truth) = try simulate(run, keys)
                        return (run, deliveries, truth)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }
            }
            for result in await store.record(runs.flatMap(\.1)) { _ = try result.get() }
            truth += runs.map(\.2)
        }
        while try await store.foldAnswers() > 0 {}
        return truth
    }

    private func simulate(_ run: Int, _ keys: TestKeys) throws -> ([PostbackDelivery], Truth) {
        let timeline = try keys.timeline(settings(run), seed: UInt64(1_000 + run), hasCopies: false)
        var truth = Truth()
        var deliveries: [PostbackDelivery] = []
        for delivery in timeline.days().flatMap({ $0 }) where delivery.postback.window == 0 {
            let postback = delivery.postback
            if postback.sentValue != .none { truth.mapped += 1 }
            if !postback.allowsValue { truth.withheld += 1 }
            if postback.sentValue != .none || !postback.allowsValue { truth.cents += postback.revenueInWindow }
            guard let line = try timeline.lines(of: delivery).network else { continue }
            let archived = try ArchivedPostback(parsing: line)
            let received = PostgresTimestamp(millisecondsSince1970: delivery.receivedAt.milliseconds)
            deliveries.append(PostbackDelivery(try keys.verifier.verify(archived.postback), receivedAt: received))
        }
        return (deliveries, truth)
    }
}

/// What a report says of a run.
struct ModelledRun: Sendable {
    let mapped, withheld: Int
    let measured, modelled: Double
    /// The ends of the interval; nil if the report has none.
    let low, high: Double?

    /// How wide the interval is; nil if the report has none.
    var width: Double? { low.flatMap { low in high.map { $0 - low } } }

    /// Whether the interval holds the truth; nil if the report has none.
    func holds(_ truth: ModelledRuns.Truth) -> Bool? {
        let revenue = Double(truth.cents) / 100
        return low.flatMap { low in high.map { low <= revenue && revenue <= $0 } }
    }
}

extension TestDatabase {
    /// Modelled revenue of each run, by its place.
    func modelledRuns() async throws -> [ModelledRun] {
        try await withPool(size: 1) { pool in
            try await pool.withConnection { connection in
                try connection.query(
                    PostgresStatement(
                        "modelled_runs",
                        """
                        SELECT sum(mapped)::bigint, sum(withheld)::bigint, sum(revenue_middle)::float8,
                               sum(modelled_revenue_middle)::float8, sum(modelled_interval_low)::float8,
                               sum(modelled_interval_high)::float8
                          FROM attribution.report_modelled_revenue_by_app(
                               '2026-01-01', '2026-12-31', an_environment => NULL)
                         WHERE sequence_index = 0
                         GROUP BY advertised_app_id ORDER BY advertised_app_id
                        """)
                ).map { row in
                    ModelledRun(
                        mapped: Int(try row.decode(Int64.self, at: 0)),
                        withheld: Int(try row.decode(Int64.self, at: 1)),
                        measured: try row.decode(Double.self, at: 2), modelled: try row.decode(Double.self, at: 3),
                        low: try row.decode(Double?.self, at: 4), high: try row.decode(Double?.self, at: 5))
                }
            }
        }
    }
}
