import Foundation
import PostbackStore
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("The recount of all reports in Python", .installation)
    struct RecountAnswersTests {
        private let database = TestDatabase.current

        /// What may go wrong in a stored sum or in a definition, and the report that must differ then.
        private static let faults = [
            (
                "UPDATE attribution.answer_install_daily SET withheld = withheld + 1 WHERE withheld > 0",
                "attribution.answer_install_daily"
            ),
            (
                "UPDATE attribution.answer_arrival_daily SET revenue_high = revenue_high + 1 WHERE revenue_high > 0",
                "attribution.answer_arrival_daily"
            ),
            (
                "UPDATE attribution.answer_traits_daily SET arrival_day = arrival_day - 100",
                "attribution.answer_traits_daily"
            ),
            (
                "UPDATE attribution.answer_source_daily SET tier_3 = coalesce(tier_3, 0) + 1",
                "attribution.answer_source_daily"
            ),
            (
                "UPDATE attribution.answer_install_event_daily SET count_low = coalesce(count_low, 0) + 1",
                "attribution.answer_install_event_daily"
            ),
            (
                "UPDATE attribution.campaign_daily SET no_value = coalesce(no_value, 0) + 1",
                "attribution.report_campaign_daily_all"
            ),
            (
                """
                CREATE OR REPLACE FUNCTION attribution.store_refunded(
                    gross numeric, revoked_at timestamptz, revocation_percentage integer) RETURNS numeric
                LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 * 0'
                """,
                "attribution.report_app_store_revenue"
            ),
        ]

        @Test("In another time zone each figure equals the recount too", .database(migrated: false))
        func timeZone() async throws {
            let database = TestDatabase.current
            try await database.prepare(timeZone: "Asia/Kolkata")
            let deliveries = try Deliveries().simulated(600, seed: 5)
            try await database.withStore { store in
                for result in await store.record(deliveries) { _ = try result.get() }
                try await store.fold()
                try await store.foldAnswers()
            }
            let recount = try await database.recountInPython()
            #expect(recount.code == 0, "\(recount.text)")
            #expect(try await database.recounts() == [])
        }

        @Test("After a quarter of all versions and windows, each figure of each report equals the recount")
        func quarter() async throws {
            let installation = try Installation.current
            let quarter = RecountedQuarter(installation: installation)
            try await quarter.load()
            let database = installation.database
            // Half of the deliveries are not folded into the answers yet.
            let half = try await database.recountInPython()
            #expect(half.code == 0 && half.text.hasSuffix(", 0 differences\n"), "\(half.text)")
            try await quarter.finish()
            let whole = try await database.recountInPython()
            #expect(whole.code == 0 && whole.text.hasSuffix(", 0 differences\n"), "\(whole.text)")
            try await expectVariety(database)
            // What was exported is all that a warehouse needs.
            let folder = installation.folder + "/events"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let export = try await installation.run(["export", folder])
            #expect(export.code == 0, "\(export.errors)")
            let exported = try await database.recountInPython(["--events", folder])
            #expect(exported.code == 0 && exported.text.hasSuffix(", 0 differences\n"), "\(exported.text)")
            try removeFirstEvent(folder)
            let report = "attribution.report_campaign_daily_all"
            let incomplete = try await database.recountInPython(["--events", folder, "--only", report])
            #expect(incomplete.code == 1 && incomplete.text.contains(report + "\n    row "), "\(incomplete.text)")
            for (statement, report) in Self.faults {
                try await database.run(statement)
                let wrong = try await database.recountInPython(["--only", report])
                #expect(wrong.code == 1 && wrong.text.contains(report + "\n    row "), "\(statement): \(wrong.text)")
            }
        }

        private func removeFirstEvent(_ folder: String) throws {
            let name = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("events-") }
                .min()
            let file = URL(filePath: folder + "/" + (try #require(name)))
            let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"), maxSplits: 1)
            try lines[1].write(to: file)
        }

        /// All of it occurs, so that nothing was compared with nothing.
        private func expectVariety(_ database: TestDatabase) async throws {
            let kinds = try await database.column(
                """
                SELECT DISTINCT concat_ws(' ', version, sequence_index)
                  FROM attribution.postback_answer JOIN attribution.traits USING (traits) ORDER BY 1
                """)
            #expect(
                kinds == [
                    "1.0 0", "2.0 0", "2.1 0", "2.2 0", "3.0 0", "4.0 0", "4.0 1", "4.0 2", "none 0", "none 1",
                    "none 2",
                ])
            let store = try await database.column(
                """
                SELECT count(factor_low) > 0 FROM attribution.report_app_store_calibration_all
                UNION ALL
                SELECT count(allocated_net) > 20
                  FROM attribution.report_app_store_allocation(
                       '2026-07-01', '2026-09-30', an_environment => NULL, minimum_installs => 2)
                UNION ALL
                SELECT count(DISTINCT kind) = 2 AND min(net) = 0 AND count(*) > count(net) AND sum(refunds) > 20
                       AND sum(family_shares) > 20 AND sum(free_trials) > 20
                  FROM attribution.report_app_store_revenue_all
                UNION ALL
                SELECT count(delay_p90_days) > 20 AND bool_or(without_price > 0)
                  FROM attribution.report_app_store_refunds_all
                UNION ALL
                SELECT count(DISTINCT environment) = 2 AND sum(installs) > 20 AND sum(redownloads) > 20
                       AND sum(preorders) > 20 AND sum(unattributed) > 20
                  FROM attribution.report_apple_ads_all
                """)
            #expect(store == ["true", "true", "true", "true", "true"])
            let sums = try await database.column(
                """
                SELECT concat_ws(' ', sum(withheld) > 50, sum(not_set) > 20, sum(mapped) > 50, sum(unmapped) > 20,
                                 sum(ambiguous) > 20, sum(tier_0) > 20, sum(tier_1) > 20, sum(tier_2) > 20,
                                 sum(tier_3) > 20, sum(revenue_open) > 20, sum(revenue_unknown) > 5,
                                 sum(reengagements) > 20, count(DISTINCT currency))
                  FROM attribution.answer_install_daily
                """)
            #expect(sums == ["t t t t t t t t t t t t 4"])
            let countries = try await database.column(
                """
                SELECT concat_ws(' ', protocol, count(DISTINCT country_code))
                  FROM attribution.postback WHERE country_code IS NOT NULL GROUP BY protocol ORDER BY 1
                """)
            #expect(countries == ["adattributionkit 2", "skadnetwork 2"])
            let counts = try await database.column(
                """
                SELECT concat_ws(' ', sum(raised) > 50, sum(conflicts) > 20, sum(impressions) > 999)
                  FROM attribution.report_campaign_all
                """)
            #expect(counts == ["t t t"])
            let views = try await database.column(
                """
                SELECT oid::regclass::text FROM pg_class
                 WHERE relkind = 'v'
                   AND (relnamespace = 'appsflyer'::regnamespace
                        OR (relnamespace = 'attribution'::regnamespace AND relname LIKE 'report\\_%'
                            AND relname <> 'report_delivery' AND relname !~ '^report_(app_store|apple_ads)'))
                """)
            #expect(views.count > 60)
            for view in views.compactMap(\.self) {
                #expect(try await database.value("SELECT EXISTS (SELECT FROM \(view))") == "true", "\(view)")
            }
        }

        @Test("Every report is known to the recount, and a new one that is not is an error", .database)
        func unknownReport() async throws {
            let known = try await database.recountInPython(["--list"])
            #expect(known.code == 0, "\(known.text)")
            try await database.run("CREATE VIEW attribution.report_new AS SELECT 1 AS figure")
            let unknown = try await database.recountInPython(["--list"])
            #expect(unknown.code == 1 && unknown.text.contains("attribution.report_new: is not recounted"))
        }
    }
}
