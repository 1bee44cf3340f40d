import AdAttribution
import Foundation
import PostbackSimulation
import PostgresClient
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("The recount from the bodies alone")
    struct RecountBodiesTests {
        private static let campaign = "report_campaign_daily"
        private static let sourceApp = "report_source_app_daily"
        private static let value = "report_conversion_value_daily"
        private static let identifiers = ["report_source_identifier", "report_source_identifier_daily"]

        /// What may go wrong in figures, their definitions or bodies, and the reports that differ then.
        private static let faults: [(statement: String, reports: [String])] = [
            (
                "UPDATE attribution.campaign_daily SET value_sum = coalesce(value_sum, 0) + 1 WHERE fine > 0",
                [campaign] + identifiers
            ),
            (
                "UPDATE attribution.campaign_daily SET later_windows = coalesce(later_windows, 0) + 1",
                [campaign] + identifiers
            ),
            ("UPDATE attribution.campaign_daily SET raised = coalesce(raised, 0) + 1", [campaign]),
            ("UPDATE attribution.source_app_daily SET raised = coalesce(raised, 0) + 1", [sourceApp]),
            ("UPDATE attribution.conversion_value_daily SET postbacks = coalesce(postbacks, 0) + 1", [value]),
            ("DELETE FROM attribution.conversion_value_daily", [value]),
            ("UPDATE attribution.campaign_daily SET coarse_low_1 = coalesce(coarse_low_1, 0) + 1", identifiers),
            (
                """
                INSERT INTO attribution.campaign_daily (line, day, assists)
                SELECT min(line), '2001-01-01', 1 FROM attribution.line WHERE campaign_type = 'source-identifier'
                """, [campaign] + identifiers
            ),
            (
                """
                CREATE OR REPLACE FUNCTION attribution.average(value_sum bigint, fine bigint) RETURNS numeric
                LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT round(value_sum::numeric / nullif(fine, 0)) $$
                """, [campaign] + identifiers
            ),
            (
                "UPDATE attribution.line SET advertised_app_id = -advertised_app_id - 1",
                [campaign, value, sourceApp] + identifiers
            ),
            ("DELETE FROM attribution.postback_body", [campaign, value, sourceApp] + identifiers),
            (
                "UPDATE attribution.postback_body SET received_at = received_at - interval '1 day'",
                [campaign, value, sourceApp, "report_source_identifier_daily"]
            ),
            // The values of deliveries that raised are nowhere else.
            (
                """
                DELETE FROM attribution.postback_body AS body USING attribution.postback_state AS state
                 WHERE body.lane = state.lane AND body.position = state.raised_position
                   AND body.ordinal = state.raised_ordinal
                """, [campaign, value, sourceApp] + identifiers
            ),
        ]

        @Test("The recount finds what is wrong in each report, and ignores what no body says", .installation)
        func faults() async throws {
            let installation = try Installation.current
            let networks = ["example123.skadnetwork", "com.example"].compactMap(AdNetworkID.init)
            let bodies = try await installation.keys.simulator(
                .everything(seed: 22, count: 600, adNetworkIDs: networks)
            ).bodiesConcurrently()
            try await installation.succeed(["import", try installation.write(bodies, to: "a.ndjson")])
            let database = installation.database
            #expect(try await database.recounts() == [])
            let recount = try TestDatabase.recountBodiesStatement()
            for (statement, reports) in Self.faults {
                let found = try await database.withSession { session in
                    try await session.execute(script: "BEGIN; \(statement);")
                    return try await session.query(
                        PostgresStatement("faults", "SELECT DISTINCT report FROM (\(recount)) AS r ORDER BY 1")
                    ).map { try $0.decode(String.self, at: 0) }
                }
                #expect(found == reports.sorted(), "\(statement)")
            }
            try await database.run(
                """
                UPDATE attribution.campaign_daily
                   SET impressions = coalesce(impressions, 0) + 1, conflicts = coalesce(conflicts, 0) + 1;
                INSERT INTO attribution.campaign_daily (line, day, impressions) VALUES (1, '2001-01-01', 1);
                """)
            #expect(try await database.recountBodies() == [])
        }
    }
}
