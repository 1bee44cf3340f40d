import Foundation
import PostbackSimulation
import TestSupport
import Testing

extension ServerReportTests {
    @Suite("Answers against the truth of a simulated quarter")
    struct AnswerTruthTests {
        private static let seed: UInt64 = 21

        /// The postbacks that break a rule.
        ///
        /// Those that were delayed are left out: nothing here models that.
        private func breaking(_ rule: String, _ quarter: SimulatedQuarter) async throws -> [String?] {
            try await quarter.database.column(
                "SELECT compared::text FROM compared WHERE NOT delayed AND (\(rule)) IS DISTINCT FROM true LIMIT 5")
        }

        private func count(_ condition: String, _ quarter: SimulatedQuarter) async throws -> Int {
            let count = try await quarter.database.value("SELECT count(*) FROM compared WHERE \(condition)")
            return try #require(count.flatMap { Int($0) })
        }

        @Test("The quarter has every version, window, tier and kind, locks and changes of scheme, so no rule is idle")
        func quarter() async throws {
            try await SimulatedQuarter.with(seed: Self.seed) { quarter in
                #expect(try await count("true", quarter) == quarter.truth.count)
                #expect(Set(quarter.truth.map { $0.version ?? "" }).count == 7)
                for condition in [
                    "tier = 0", "tier = 1", "tier = 2", "tier = 3", "sequence_index = 2", "locked_at IS NOT NULL",
                    "decoding = 'ambiguous' AND has_windows", "decoding = 'ambiguous' AND NOT has_windows",
                    "absence = 'privacy'", "absence = 'app' AND value_allowed", "absence = 'app' AND NOT value_allowed",
                    "no_value_kind = 'not_set' AND NOT has_windows", "day_of = 'engagement'", "model_number = 2",
                    "delayed", "NOT did_win", "tier_low = 0 AND tier_high = 2", "value > 63 AND may_have_locked",
                ] {
                    #expect(try await count(condition, quarter) > 4, "\(condition)")
                }
                try await install(quarter)
                try await tiers(quarter)
                try await kinds(quarter)
                try await decoding(quarter)
                try await bias(quarter)
            }
        }

        @Test("No install lies outside its interval if windows end early by possible locks and re-engagements")
        func endingEarly() async throws {
            // Without its first scheme, an app has none at first: edges are widest there.
            try await SimulatedQuarter.with(
                SimulatedQuarter.endingEarly, seed: Self.seed, isLoaded: { $0.appID == 525_463_029 || $0.number > 0 }
            ) { (quarter) async throws in
                for condition in [
                    "locked_at IS NOT NULL AND value IN (2, 102)",
                    "locked_at IS NOT NULL AND no_value_kind = 'withheld'",
                    "reengaged_at IS NOT NULL AND sequence_index = 0 AND did_win", "decoding = 'no_scheme'",
                    "reengaged_at IS NOT NULL AND NOT did_win", "reengaged_at IS NOT NULL AND sequence_index = 1",
                    "reengaged_at IS NOT NULL AND sequence_index = 2", "decoding = 'ambiguous' AND NOT has_windows",
                    "possible_events @> '{premium}'", "events @> '{premium}'",
                ] {
                    #expect(try await count(condition, quarter) > 4, "\(condition)")
                }
                #expect(try await breaking("launched_at BETWEEN install_low AND install_high", quarter) == [])
                #expect(try await breaking("install_at BETWEEN install_low AND install_high", quarter) == [])
                #expect(
                    try await breaking(
                        "locked_at IS NOT NULL OR NOT has_windows OR events IS NULL OR NOT events @> '{premium}'",
                        quarter) == [])
            }
        }

        @Test("Beside values of both kinds that lock, no lock is missed, and the other values show that there was none")
        func lockingValues() async throws {
            try await SimulatedQuarter.with(SimulatedQuarter.lockingValues, seed: Self.seed) { (quarter) async throws in
                let mapped = "sequence_index = 0 AND decoding = 'mapped'"
                for condition in [
                    "\(mapped) AND locked_at IS NOT NULL AND value < 64",
                    "\(mapped) AND locked_at IS NOT NULL AND value > 63",
                    "\(mapped) AND may_have_locked AND locked_at IS NULL",
                    // Before, each of them may have locked.
                    "\(mapped) AND app_id = 525463029 AND NOT may_have_locked AND value = 0",
                    "\(mapped) AND app_id = 525463029 AND NOT may_have_locked AND value = 1",
                    "\(mapped) AND app_id = 525463029 AND NOT may_have_locked AND value = 101",
                ] {
                    #expect(try await count(condition, quarter) > 4, "\(condition)")
                }
                #expect(try await breaking("launched_at BETWEEN install_low AND install_high", quarter) == [])
                #expect(try await breaking("may_have_locked OR locked_at IS NULL", quarter) == [])
            }
        }

        /// In each version and window the interval holds the true first launch in at least 99 percent of the postbacks.
        private func install(_ quarter: SimulatedQuarter) async throws {
            let shares = try await quarter.database.column(
                """
                SELECT version || ' ' || sequence_index || ' ' || did_win || ' '
                       || avg((launched_at BETWEEN install_low AND install_high)::integer)
                  FROM compared WHERE NOT delayed GROUP BY version, sequence_index, did_win
                HAVING avg((launched_at BETWEEN install_low AND install_high)::integer) < 0.99
                """)
            #expect(shares == [])
            #expect(try await breaking("install_at BETWEEN install_low AND install_high", quarter) == [])
            // No postback of a complete day arrives.
            #expect(
                try await breaking(
                    """
                    received_at < attribution.complete_from((launched_at AT TIME ZONE 'UTC')::date, has_windows,
                                                            sequence_index, measurement_window_hours)
                    """, quarter) == [])
            #expect(
                try await breaking("(day_of = 'engagement') = (conversion_type = 're-engagement')", quarter) == [])
            // A lock that the scheme does not know of would move the install.
            #expect(try await breaking("may_have_locked OR locked_at IS NULL", quarter) == [])
        }

        /// The tiers never exclude the true one.
        private func tiers(_ quarter: SimulatedQuarter) async throws {
            #expect(
                try await breaking(
                    "CASE WHEN tier IS NULL THEN tier_low IS NULL AND tier_high IS NULL "
                        + "ELSE tier BETWEEN tier_low AND tier_high END", quarter) == [])
        }

        /// What is not set was not set, what Apple withheld is withheld, and what can't be there is not applicable.
        private func kinds(_ quarter: SimulatedQuarter) async throws {
            for rule in [
                "(no_value_kind IS NULL) = (absence IS NULL)",
                "(no_value_kind = 'not_applicable') IS NOT DISTINCT FROM (absence = 'not-applicable')",
                "no_value_kind IS DISTINCT FROM 'not_set' OR absence = 'app'",
                "absence IS DISTINCT FROM 'privacy' OR no_value_kind = 'withheld'",
                // With AdAttributionKit it is always told.
                """
                absence IS DISTINCT FROM 'app' OR NOT value_allowed OR version <> 'adattributionkit'
                OR no_value_kind = 'not_set'
                """,
                // An app that set nothing counts as withheld only where nobody outside could tell.
                """
                no_value_kind IS DISTINCT FROM 'withheld' OR absence <> 'app'
                OR NOT value_allowed OR NOT has_windows OR (tier_low = 0 AND tier_high = 2)
                """,
            ] {
                #expect(try await breaking(rule, quarter) == [], "\(rule)")
            }
        }

        /// A mapped value has the meaning that the app gave it, and an ambiguous one has none.
        private func decoding(_ quarter: SimulatedQuarter) async throws {
            for rule in [
                "decoding IS DISTINCT FROM 'mapped' OR decoded_number = model_number",
                "decoding IS DISTINCT FROM 'mapped' OR revenue BETWEEN revenue_low AND coalesce(revenue_high, revenue)",
                "events IS NULL OR NOT 'purchase' = ANY (events) OR revenue > 0",
                "decoding IN ('mapped', 'ambiguous') OR (decoding IS NULL AND value < 0)",
                """
                decoding IS DISTINCT FROM 'ambiguous'
                OR (events IS NULL AND revenue_low IS NULL AND scheme_valid_from IS NULL)
                """,
                // It is ambiguous only if the app may have set it on both sides of a change.
                """
                decoding IS DISTINCT FROM 'ambiguous' OR EXISTS (
                    SELECT FROM numbered_scheme AS change
                     WHERE change.advertised_app_id = app_id AND change.number > 0
                       AND abs(extract(epoch FROM change.valid_from - value_set_at)) < 35 * 86400)
                """,
            ] {
                #expect(try await breaking(rule, quarter) == [], "\(rule)")
            }
        }

        /// The measurement of the documents: the whole interval, and no bias where the rule is exact.
        private func bias(_ quarter: SimulatedQuarter) async throws {
            let file = String(decoding: try TestEnvironment.file("tools/install-day-bias.sql"), as: UTF8.self)
            let measurement = try #require(file.split(separator: "-- The measurement\n").last)
                .trimmingCharacters(in: .whitespacesAndNewlines).dropLast()
            let rows = "(\(measurement)) AS measured"
            let total = try await quarter.database.column(
                """
                SELECT concat_ws(' ', postbacks = (SELECT count(*) FROM compared WHERE NOT delayed),
                                 inside >= 99, abs(bias) < 2)
                  FROM \(rows) WHERE version IS NULL
                """)
            #expect(total == ["t t t"])
            // Without locks the estimate is the mean of windows and delays: off by no more than chance allows.
            let biased = try await quarter.database.column(
                """
                SELECT measured::text FROM \(rows)
                 WHERE version IN ('4.0', 'adattributionkit') AND NOT may_lock AND postbacks > 20
                   AND abs(bias) > 4 * deviation / sqrt(postbacks) + 0.1
                """)
            #expect(biased == [])
        }
    }
}
