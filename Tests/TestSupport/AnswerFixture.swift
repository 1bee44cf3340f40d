import AdAttribution
import CampaignData
package import ConversionSchemes
import Foundation
import PostbackSimulation
package import PostbackStore
package import PostgresClient

/// Postbacks of 75 days, schemes that change in between, and a mapping with all kinds of conditions.
package struct AnswerFixture: Sendable {
    package let keys: TestKeys

    package init() throws {
        keys = try TestKeys()
    }

    /// The app with two schemes, in two currencies; one with a scheme that says little; one without a scheme.
    package static let apps: [Int64] = [525_463_029, 1_234_567_891, 10_738_027_756]

    /// The schemes, in the order of their validities.
    package static func schemes() throws -> [ConversionScheme] {
        let fine = """
            "fine": [
              {"value": 0, "events": []},
              {"value": "1-20", "hours": [0, 24],
               "events": [{"name": "purchase", "revenue": {"from": 0.99, "to": 4.99}, "count": {"from": 1, "to": 3}}]},
              {"value": "21-40", "hours": [24, 47],
               "events": [{"name": "purchase", "revenue": {"from": 4.990001, "to": 20}},
                          {"name": "subscribe", "revenue": {"from": 9.99, "to": 9.99}}]},
              {"value": "41-50", "any-of": [{"name": "purchase", "revenue": {"from": 20}}, {"name": "tutorial"}]}],
            """
        let windows = """
            "windows": [
              {"index": 0, "coarse": {"low": {"events": []}, "high": {"events": [{"name": "subscribe"}]}}},
              {"index": 1, "coarse": {"low": {"events": []},
                                      "high": {"events": [{"name": "purchase", "revenue": {"from": 5, "to": 50}}]}},
               "lock": {"coarse": "high"}},
              {"index": 2, "coarse": {"medium": {"any-of": [{"name": "purchase", "revenue": {"from": 1, "to": 2}},
                                                            {"name": "tutorial"}]}}}]
            """
        let texts = [
            """
            {"app-id": \(apps[0]), "name": "first", "valid-from": "2026-09-01T00:00:00Z", "currency": "USD",
             "measurement-window-hours": 48, \(fine) \(windows)}
            """,
            """
            {"app-id": \(apps[0]), "name": "second", "valid-from": "2026-10-20T00:00:00Z", "currency": "EUR",
             "measurement-window-hours": 96, \(fine) \(windows)}
            """,
            """
            {"app-id": \(apps[1]), "name": "little", "valid-from": "2026-10-01T06:15:00Z",
             "valid-to": "2026-11-15T00:00:00Z", "fine": [{"value": "0-9", "events": [{"name": "open"}]}]}
            """,
        ]
        return try texts.map { try SchemeFile.read(Array($0.utf8)) }
    }

    /// Everything that can happen to postbacks, in order, ninety minutes apart; raises of earlier ones among them.
    package func deliveries(_ count: Int = 1_200, seed: UInt64) throws -> [PostbackDelivery] {
        guard let network = AdNetworkID("example123.skadnetwork") else { return [] }
        let simulator = try keys.simulator(.everything(seed: seed, count: count, adNetworkIDs: [network]))
        var random = SeededGenerator(seed: seed)
        let bodies = try simulator.bodies() + (0..<count / 6).map { _ in try adAttributionKit(&random) }
        return try bodies.enumerated().map { index, body in
            PostbackDelivery(try keys.verified(body), receivedAt: Self.time(hours: 1.5 * Double(index % count)))
        }
    }

    /// This many hours after 2026-09-21 14:13.
    package static func time(hours: Double) -> PostgresTimestamp {
        PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000 + Int64(hours * 3_600_000))
    }

    /// A postback of AdAttributionKit that may name its country, and fits conditions of the mapping.
    private func adAttributionKit(_ random: inout SeededGenerator) throws -> [UInt8] {
        try TestAdAttributionKitPostback {
            $0.sourceIdentifier = ["5238", "5239", "5240", "39", "5241"].randomElement(using: &random) ?? ""
            $0.publisherItemIdentifier = [nil, 1, 2].randomElement(using: &random) ?? nil
            $0.conversionType = ["download", "redownload", "re-engagement"].randomElement(using: &random) ?? ""
            $0.advertisedItemIdentifier = Self.apps.randomElement(using: &random) ?? 0
            $0.envelope["country-code"] = [nil, "\"US\"", "\"DE\""].randomElement(using: &random) ?? nil
            $0.envelope["conversion-value"] = "\(Int.random(in: 0..<64, using: &random))"
        }.body(keys.postbackKeyP256)
    }

    /// Rows of the operator: changing on a day, with a country, with a source app, with both, and none for some campaigns.
    package static let mapping = """
        INSERT INTO attribution.campaign_mapping (ad_network_id, campaign_type, identifier, country, source_app,
               valid_from, valid_to, cool_down_days, campaign_id, campaign_name)
        SELECT 'example123.skadnetwork', 'campaign-id', n::text, NULL, NULL, date '2026-09-01', date '2026-10-10', 5,
               'early ' || n % 7, 'Early'
          FROM generate_series(1, 60) AS n
        UNION ALL
        SELECT 'example123.skadnetwork', 'campaign-id', n::text, NULL, NULL, '2026-10-13', NULL, 45, 'late ' || n, NULL
          FROM generate_series(1, 30) AS n
        UNION ALL
        SELECT 'example123.skadnetwork', 'source-identifier', lpad(n::text, 2, '0'), NULL, NULL, '2026-10-01', NULL, 45,
               'group ' || n, 'Group'
          FROM generate_series(0, 60) AS n WHERE n NOT IN (40, 41)
        UNION ALL VALUES
               ('example123.skadnetwork', 'source-identifier', '38', 'US', NULL, date '2026-09-01', NULL::date, 45, 'US',
                'US'),
               ('example123.skadnetwork', 'source-identifier', '239', 'DE', NULL, '2026-10-05', '2026-11-01', 10, 'DE',
                'DE'),
               ('example123.skadnetwork', 'source-identifier', '40', NULL, '1', '2026-09-01', NULL, 45, 'app 1', NULL),
               ('example123.skadnetwork', 'source-identifier', '41', 'US', NULL, '2026-09-01', NULL, 45, 'US', NULL),
               ('example123.skadnetwork', 'source-identifier', '41', NULL, '2', '2026-10-10', NULL, 45, 'app 2', NULL)
        """

    /// The store and the database of a test, which have the schemes, the mapping and the postbacks, folded.
    package func folded(seed: UInt64) async throws -> (PostbackStore, TestDatabase) {
        let (store, database) = (PostbackStore.current, TestDatabase.current)
        _ = try await store.load(Self.schemes())
        try await database.run(Self.mapping)
        for result in await store.record(try deliveries(seed: seed)) { _ = try result.get() }
        try await store.foldAnswers()
        return (store, database)
    }
}

extension TestDatabase {
    /// What daily reports of answers show, in text and in order.
    package func answers() async throws -> [String] {
        var rows: [String] = []
        for day in ["arrival", "install"] {
            for family in ["campaign", "traits", "source", "version", "app_source", "event"] {
                let view = "report_\(day)_\(family)_daily_all"
                let shown = try await column("SELECT '\(view) ' || r FROM attribution.\(view) AS r ORDER BY 1")
                rows += shown.compactMap(\.self)
            }
        }
        return rows
    }
}
