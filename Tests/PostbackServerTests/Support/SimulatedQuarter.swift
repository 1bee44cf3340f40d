import Foundation
import PostbackSimulation
import TestSupport
import Testing

/// A simulated quarter in a database: its postbacks imported, the schemes of its apps loaded, its truth beside.
struct SimulatedQuarter: Sendable {
    let installation: Installation
    let truth: [TimelineTruth]

    var database: TestDatabase { installation.database }

    /// A small quarter: three networks, five apps, all versions, two changes of scheme, locks, all tiers, some delays.
    static var settings: TimelineSettings {
        var settings = TimelineSettings()
        settings.installsADay = 40
        settings.delayedShare = 0.02
        settings.silentShare = 0.1
        // Few sources, so that some have a crowd of tier 3.
        settings.webShare = 0.7
        settings.sourceApps = [3, 1]
        settings.sourceDomains = ["example.com"]
        settings.privacy.thresholds = [1, 3, 5]
        // More of 2.0 to 3.0, whose values are seldom ambiguous.
        settings.versions = [
            "1.0": 2, "2.0": 8, "2.1": 6, "2.2": 12, "3.0": 26, "4.0": 26, "adattributionkit": 20,
        ]
        return settings
    }

    /// Windows that end early: locks by an event that may have happened, and re-engagements; schemes that begin late.
    static var endingEarly: TimelineSettings {
        var settings = settings
        settings.days = 60
        settings.installsADay = 60
        settings.delayedShare = 0
        settings.reengagedShare = 0.3
        settings.purchaseShare = 0.8
        settings.versions = ["3.0": 2, "4.0": 4, "adattributionkit": 4]
        settings.apps = [
            .init(
                appID: 525_463_029, weight: 2,
                models: [
                    .revenue(buckets: [1, 300, 1_000], lock: 500, lockEvent: "premium"),
                    .revenue(fromDay: 30, buckets: [1, 150, 700], lock: 200, lockEvent: "premium"),
                ]),
            .init(appID: 1_234_567_891, weight: 1, models: [.revenueByDay(), .revenueByDay(fromDay: 40, lock: 100)]),
        ]
        return settings
    }

    /// Locks by values of both kinds in window 0.
    static var lockingValues: TimelineSettings {
        var settings = endingEarly
        settings.reengagedShare = 0
        settings.versions = ["4.0": 1]
        for index in settings.apps[0].models.indices { settings.apps[0].models[index].lockEvent = nil }
        return settings
    }

    /// A network whose postbacks come as copies only.
    static let copied = "example000.skadnetwork"

    /// Runs a body with a quarter.
    ///
    /// - Parameters:
    ///   - hasCopies: Whether developers' copies of another network's quarter are imported too.
    ///   - isLoaded: Which schemes are loaded.
    static func with<T>(
        _ settings: TimelineSettings = settings, seed: UInt64, hasCopies: Bool = false,
        isLoaded: (TimelineScheme) -> Bool = { _ in true },
        _ body: (SimulatedQuarter) async throws -> T
    ) async throws -> T {
        try await Installation.with { installation in
            let archive = try await installation.keys.timeline(settings, seed: seed).archive()
            try installation.write(
                Installation.keyRing(networks: settings.networks.map(\.adNetworkID), apps: settings.apps.map(\.appID)),
                to: "keyring.json")
            try await installation.importLines(archive.network)
            if hasCopies {
                var others = settings
                others.networks = [.init(adNetworkID: copied, weight: 1)]
                others.installsADay = 20
                try await installation.importLines(
                    try await installation.keys.timeline(others, seed: seed + 1).archive().copies)
            }
            let schemes = try settings.schemes().filter(isLoaded)
            for scheme in schemes {
                try installation.write(
                    String(decoding: scheme.json, as: UTF8.self), to: "\(scheme.appID)-\(scheme.number).json")
            }
            try await installation.succeed(
                ["scheme", "load"] + schemes.map { "\(installation.folder)/\($0.appID)-\($0.number).json" })
            try await installation.database.load(truth: archive.truthLines)
            return try await body(SimulatedQuarter(installation: installation, truth: try archive.truth()))
        }
    }
}

extension Installation {
    fileprivate func importLines(_ lines: [[UInt8]]) async throws {
        try await succeed(["import", try write(lines, to: "\(UUID().uuidString).ndjson")])
    }
}

extension TestDatabase {
    /// Loads truth as `tools/install-day-bias.sql` does, and shows its members as columns of the view `truth`.
    fileprivate func load(truth lines: [[UInt8]]) async throws {
        try await run("CREATE TABLE truth_line (line jsonb NOT NULL)")
        for start in stride(from: 0, to: lines.count, by: 1_000) {
            let rows = lines[start..<min(start + 1_000, lines.count)].map {
                "('\(String(decoding: $0, as: UTF8.self))')"
            }
            try await run("INSERT INTO truth_line VALUES \(rows.joined(separator: ", "))")
        }
        try await run(
            """
            CREATE MATERIALIZED VIEW truth AS
            SELECT (line ->> 'transaction-id')::uuid AS transaction_id,
                   (line ->> 'sequence-index')::smallint AS sequence_index, (line ->> 'did-win')::boolean AS did_win,
                   coalesce(line ->> 'version', 'adattributionkit') AS version,
                   (line ->> 'app-id')::bigint AS app_id, (line ->> 'model-number')::integer AS model_number,
                   (line ->> 'delayed')::boolean AS delayed, (line ->> 'tier')::smallint AS tier,
                   line ->> 'absence' AS absence, (line ->> 'value-allowed')::boolean AS value_allowed,
                   (line ->> 'revenue-at-value')::numeric / 100 AS revenue,
                   line ->> 'conversion-type' AS conversion_type,
                   to_timestamp((line ->> 'launched-at')::bigint / 1000.0) AS launched_at,
                   to_timestamp((line ->> 'locked-at')::bigint / 1000.0) AS locked_at,
                   to_timestamp((line ->> 're-engaged-at')::bigint / 1000.0) AS reengaged_at,
                   to_timestamp((line ->> 'value-set-at')::bigint / 1000.0) AS value_set_at,
                   to_timestamp((line ->> 'received-at')::bigint / 1000.0) AS truly_received_at
              FROM truth_line;
            -- A scheme's place among those of its app, as the truth counts them.
            CREATE VIEW numbered_scheme AS
            SELECT *, row_number() OVER (PARTITION BY advertised_app_id ORDER BY valid_from) - 1 AS number
              FROM attribution.conversion_scheme;
            CREATE MATERIALIZED VIEW compared AS
            SELECT truth.*, scheme.number AS decoded_number, answer.tier_low, answer.tier_high, answer.no_value_kind,
                   answer.decoding, answer.events, answer.possible_events, answer.revenue_low, answer.revenue_high, answer.value,
                   answer.scheme_valid_from, answer.may_have_locked, answer.install_low, answer.install_at,
                   answer.install_high, answer.day_of, answer.received_at, scheme.measurement_window_hours,
                   version IN ('4.0', 'adattributionkit') AS has_windows
              FROM truth
              JOIN attribution.postback_answer AS answer USING (transaction_id, sequence_index, did_win)
              LEFT JOIN numbered_scheme AS scheme
                     ON scheme.advertised_app_id = truth.app_id AND scheme.valid_from = answer.scheme_valid_from;
            -- A database of this age has no statistics yet.
            ANALYZE
            """)
    }
}
