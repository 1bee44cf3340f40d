import AdAttribution
import Foundation
import TestSupport
import Testing

extension ServerTests {
    @Suite("A mixed stream")
    struct MixedStreamTests {
        private static let developerApp: Int64 = 777

        /// Postbacks of all kinds for our networks, and copies for an app of ours of another network's.
        private func bodies(_ keys: TestKeys) async throws -> [[UInt8]] {
            func simulate(
                _ seed: UInt64, _ count: Int, _ networks: [String], _ apps: [Int64]
            ) throws -> PostbackSimulator {
                var configuration = PostbackSimulator.Configuration.everything(
                    seed: seed, count: count, adNetworkIDs: networks.compactMap(AdNetworkID.init))
                configuration.advertisedAppIDs = apps.compactMap { AppID($0) }
                configuration.campaigns = 40
                configuration.developmentRate = 0.1
                configuration.relayNoiseRate = 0.2
                configuration.isShuffled = true
                return try keys.simulator(configuration)
            }
            let ours = try simulate(
                1, 47_000, ["example123.skadnetwork", "com.example"], [525_463_029, 10_738_027_756])
            let copies = try simulate(2, 3_000, ["another.skadnetwork"], [Self.developerApp])
            return try await ours.bodiesConcurrently() + copies.bodiesConcurrently()
        }

        /// Every postback read again from its stored JSON by PostgreSQL alone.
        ///
        /// No column is used that the server filled, but those that no body holds. The simulation signs no source app id
        /// of 0, so that one is a relay's.
        private static let facts = """
            WITH stored AS (
                SELECT payload::jsonb AS body, coalesce(raised_payload, payload)::jsonb AS last,
                       (received_at AT TIME ZONE 'UTC')::date AS day, environment, developer_copy,
                       translate(split_part(payload ->> 'jws-string', '.', 2), '-_', '+/') AS base64
                  FROM attribution.postback
            ), opened AS (
                SELECT *, coalesce(body ->> 'version', '1.0') AS version,
                       convert_from(decode(base64 || repeat('=', (4 - length(base64) % 4) % 4), 'base64'), 'UTF8')::jsonb
                           AS kit
                  FROM stored
            ), typed AS (
                SELECT *,
                       CASE WHEN kit IS NULL THEN 'skadnetwork' ELSE 'adattributionkit' END AS protocol,
                       lower(coalesce(kit ->> 'ad-network-identifier', body ->> 'ad-network-id')) AS ad_network_id,
                       CASE WHEN kit IS NULL AND version < '4.0' THEN 'campaign-id' ELSE 'source-identifier' END
                           AS campaign_type,
                       CASE WHEN kit IS NOT NULL THEN kit ->> 'source-identifier'
                            WHEN version < '4.0' THEN body ->> 'campaign-id'
                            ELSE body ->> 'source-identifier' END AS campaign,
                       coalesce(kit ->> 'advertised-item-identifier', body ->> 'app-id')::bigint AS advertised_app_id,
                       CASE WHEN kit IS NOT NULL THEN kit ->> 'publisher-item-identifier'
                            WHEN version >= '2.0'
                            THEN coalesce(CASE WHEN version = '4.0' THEN body ->> 'source-domain' END,
                                          nullif(body ->> 'source-app-id', '0')) END AS source_app,
                       CASE WHEN kit IS NOT NULL THEN (kit ->> 'did-win')::boolean
                            WHEN version >= '3.0' THEN (body ->> 'did-win')::boolean
                            ELSE true END AS did_win,
                       CASE WHEN kit IS NOT NULL THEN (kit ->> 'postback-sequence-index')::smallint
                            WHEN version = '4.0' THEN (body ->> 'postback-sequence-index')::smallint
                            ELSE 0 END AS sequence_index,
                       CASE WHEN kit IS NOT NULL THEN kit ->> 'conversion-type'
                            WHEN version >= '2.0' AND (body ->> 'redownload')::boolean THEN 'redownload'
                            ELSE 'download' END AS type
                  FROM opened
            ), fact AS (
                SELECT *,
                       CASE WHEN did_win AND sequence_index = 0 THEN (last ->> 'conversion-value')::smallint END AS fine,
                       CASE WHEN did_win AND (sequence_index > 0 OR last ->> 'conversion-value' IS NULL)
                            THEN lower(last ->> 'coarse-conversion-value') END AS coarse,
                       CASE WHEN did_win AND sequence_index = 0 THEN (body ->> 'conversion-value')::smallint END
                           AS first_fine,
                       CASE WHEN did_win AND (sequence_index > 0 OR body ->> 'conversion-value' IS NULL)
                            THEN lower(body ->> 'coarse-conversion-value') END AS first_coarse
                  FROM typed
            )
            """

        private static let keys =
            "environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id"
        private static let figures = """
            count(*) FILTER (WHERE did_win AND sequence_index = 0 AND type = 'download') AS installs,
            count(*) FILTER (WHERE did_win AND sequence_index = 0 AND type = 'redownload') AS redownloads,
            count(*) FILTER (WHERE did_win AND sequence_index = 0 AND type = 're-engagement') AS reengagements,
            count(*) FILTER (WHERE NOT did_win) AS assists,
            count(fine) FILTER (WHERE did_win AND sequence_index = 0) AS value_known,
            count(coarse) FILTER (WHERE did_win AND sequence_index = 0) AS value_coarse,
            count(*) FILTER (WHERE did_win AND sequence_index = 0 AND fine IS NULL AND coarse IS NULL) AS value_null,
            round(avg(fine) FILTER (WHERE did_win AND sequence_index = 0), 4) AS value_average,
            count(*) FILTER (WHERE (fine, coarse) IS DISTINCT FROM (first_fine, first_coarse)) AS raised,
            count(*) FILTER (WHERE sequence_index > 0) AS later_windows
            """
        private static let figureNames = """
            installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average, raised,
            later_windows
            """

        /// Each view, its columns, and the same out of `fact`.
        private static let views: [(view: String, columns: String, recount: String)] = [
            (
                "report_campaign_daily_all", "\(keys), \(figureNames)",
                "SELECT \(keys), \(figures) FROM fact GROUP BY \(keys)"
            ),
            (
                "report_source_app_daily_all", "\(keys), source_app, \(figureNames)",
                "SELECT \(keys), source_app, \(figures) FROM fact GROUP BY \(keys), source_app"
            ),
            (
                "report_conversion_value_daily_all",
                "\(keys), sequence_index, conversion_value, coarse_value, postbacks",
                """
                SELECT \(keys), sequence_index, fine, coarse, count(*) FROM fact
                 GROUP BY \(keys), sequence_index, fine, coarse
                """
            ),
            (
                "report_source_identifier_all",
                """
                environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
                sequence_index, postbacks, assists, value_known, value_coarse, value_null, coarse_high
                """,
                """
                SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits,
                       right(campaign, digits), sequence_index, count(*) FILTER (WHERE did_win),
                       count(*) FILTER (WHERE NOT did_win), count(fine), count(coarse),
                       count(*) FILTER (WHERE did_win AND fine IS NULL AND coarse IS NULL),
                       count(*) FILTER (WHERE coarse = 'high')
                  FROM fact CROSS JOIN LATERAL generate_series(2, length(campaign)) AS digits
                 WHERE campaign_type = 'source-identifier'
                 GROUP BY environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits,
                          right(campaign, digits), sequence_index
                """
            ),
        ]

        @Test("50,000 postbacks of all kinds into two servers: the views equal a recount over the stored JSON")
        func twoServers() async throws {
            let log = try #require(TestEnvironment.databaseLog)
            try await Installation.with { installation in
                try installation.write(
                    Installation.keyRing.replacing(
                        "\"developer-apps\": []", with: "\"developer-apps\": [ \(Self.developerApp) ]"),
                    to: "keyring.json")
                let bodies = try await bodies(installation.keys)
                let logSize = try Data(contentsOf: URL(filePath: log)).count
                let answers = try await installation.withServer { _, first in
                    try await installation.withServer { _, second in
                        let halves = [0, 1].map { half in
                            bodies.enumerated().filter { $0.offset % 2 == half }.map(\.element)
                        }
                        async let left = first.stream(halves[0], clients: 16)
                        async let right = second.stream(halves[1], clients: 16)
                        return await left + right
                    }
                }
                #expect(answers.count == 50_000)
                #expect(answers.allSatisfy { $0?.status == 200 })
                let database = installation.database
                let stored = try await database.value("SELECT count(*) FROM attribution.postback")
                #expect(stored == String(answers.count { $0?.outcome == "accepted" }))
                for (view, columns, recount) in Self.views {
                    let reported = "SELECT \(columns) FROM attribution.\(view)"
                    let differences = try await database.column(
                        """
                        SELECT d FROM (\(Self.facts), recounted AS (\(recount))
                            (SELECT 'recounted', * FROM recounted EXCEPT ALL SELECT 'recounted', * FROM (\(reported)) AS v)
                            UNION ALL
                            (SELECT 'reported', * FROM (\(reported)) AS v EXCEPT ALL SELECT 'reported', * FROM recounted)
                        ) AS d LIMIT 5
                        """)
                    #expect(differences == [], "\(view)")
                }
                // All of it occurs, so that nothing was compared with nothing.
                let kinds = try await database.column(
                    """
                    SELECT concat_ws(' ', environment, developer_copy, protocol, sum(installs) > 0, sum(assists) > 0,
                                     sum(later_windows) > 0)
                      FROM attribution.report_campaign_daily_all
                     GROUP BY environment, developer_copy, protocol ORDER BY 1
                    """)
                #expect(kinds.count == 8)
                #expect(kinds.allSatisfy { $0?.hasSuffix("t t t") == true }, "\(kinds)")
                let values = try await database.column(
                    """
                    SELECT concat_ws(' ', protocol, sum(value_known) > 0, sum(value_coarse) > 0, sum(value_null) > 0,
                                     sum(raised) > 0)
                      FROM attribution.report_campaign_daily_all GROUP BY protocol ORDER BY 1
                    """)
                #expect(values == ["adattributionkit t t t t", "skadnetwork t t t t"])
                #expect(try await database.value("SELECT sum(conflicts) > 100 FROM attribution.postback") == "true")
                #expect(
                    try await database.value(
                        "SELECT count(*) > 1000 FROM attribution.postback WHERE relay_normalised") == "true")
                #expect(try await database.column("SELECT 1 FROM attribution.report_campaign_daily") == [])
                #expect(try await database.recount() == [])
                let written = try Data(contentsOf: URL(filePath: log)).dropFirst(logSize)
                #expect(!String(decoding: written, as: UTF8.self).contains("deadlock detected"))
            }
        }
    }
}
