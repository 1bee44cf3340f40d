import Foundation
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("The demo")
    struct DemoTests {
        @Test("A smaller quarter of the demo ends today, each of its questions has an answer, and each report has rows")
        func quarter() async throws {
            try await Demo.with(installsADay: 60) { demo in
                try await expectQuarter(demo)
                try await expectAnswers(demo)
                try await expectReports(demo)
                #expect(try await demo.database.recount() == [])
            }
        }

        private func expectQuarter(_ demo: Demo) async throws {
            let shape = try await demo.database.value(
                """
                SELECT concat_ws(' ', count(DISTINCT ad_network_id), count(DISTINCT advertised_app_id),
                                 string_agg(DISTINCT environment::text, ','),
                                 max(received_at) > now() - interval '1 day', max(received_at) < now(),
                                 min(received_at) < now() - interval '80 days')
                  FROM attribution.postback
                """)
            #expect(shape == "3 4 test t t t")
            let campaigns = try await demo.database.value(
                """
                SELECT concat_ws(' ', count(DISTINCT campaign_id), min(advertised_app_id), max(advertised_app_id))
                  FROM attribution.campaign_mapping WHERE NOT is_built_in
                """)
            #expect(campaigns == "40 525463029 10738027756")
            // Names and cost are for campaigns that exist: no postback is without a name, and no cost without postbacks.
            let nameless = try await demo.database.value(
                """
                SELECT concat_ws(' ', count(*) FILTER (WHERE campaign_id IS NULL),
                                 count(*) FILTER (WHERE installs = 0 AND cost > 400))
                  FROM attribution.report_cost(current_date - 90, current_date, NULL, 'USD', 'test')
                """)
            #expect(nameless == "0 0")
            let refused = try await demo.database.value(
                "SELECT concat_ws(' ', count(*), count(DISTINCT reason)) FROM attribution.rejected_postback")
            #expect(refused == "12 4")
        }

        private func expectAnswers(_ demo: Demo) async throws {
            #expect(try await demo.answers(to: "1-return.sql").count == 10)
            let missing = try await demo.answers(to: "2-missing.sql")
            #expect(missing.count == 6)
            #expect(missing.contains { ($0["percent_withheld"] as? Double ?? 0) > 0 })
            #expect(missing.contains { ($0["percent_not_set"] as? Double ?? 0) > 0 })
            let modelled = try await demo.answers(to: "3-modelled.sql")
            #expect(modelled.count == 4)
            for app in modelled {
                let mapped = try #require(app["mapped_revenue"] as? Double)
                let all = try #require(app["modelled_revenue"] as? Double)
                #expect(mapped > 0 && all > mapped, "\(app)")
            }
        }

        /// Apple answers tokens of Apple Ads, and this quarter has too few installs a day for an allocation.
        private static let empty: Set = ["apple_ads", "apple_ads_skadnetwork", "app_store_allocation"]

        private func expectReports(_ demo: Demo) async throws {
            let list = try await demo.run(["report"])
            #expect(list.code == 0, "\(list.errors)")
            // Behind the names of the columns.
            let names = list.lines.dropFirst().compactMap { $0.split(separator: " ").first.map(String.init) }
            #expect(names.count > 30, "\(list.output)")
            for name in names {
                let report = try await demo.run(
                    ["report", name, "--format", "ndjson", "--limit", "5", "--where", "environment=test"])
                #expect(report.code == 0, "\(name): \(report.errors)")
                #expect(!report.lines.isEmpty || Self.empty.contains(name), "\(name)")
            }
        }
    }
}

extension Demo {
    /// The rows that a question of `examples/demo` returns.
    fileprivate func answers(to file: String) async throws -> [[String: Any]] {
        let text = String(decoding: try TestEnvironment.file("examples/demo/" + file), as: UTF8.self)
        let statement = text.trimmingCharacters(in: .whitespacesAndNewlines)
        try #require(statement.hasSuffix(";"))
        let rows = try await database.column("SELECT to_jsonb(q) FROM (\(statement.dropLast())) AS q")
        return try rows.map {
            try #require(JSONSerialization.jsonObject(with: Data(($0 ?? "").utf8)) as? [String: Any])
        }
    }
}
