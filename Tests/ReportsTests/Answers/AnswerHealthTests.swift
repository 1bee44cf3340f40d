import TestSupport
import Testing

/// The reports about impressions, tiers and the health of values.
@Suite(
    "Reports of impressions, tiers and value health", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct AnswerHealthTests {
    private let database = TestDatabase.current

    @Test("Volumes are in ranges of round numbers, and the last has no upper end", .database)
    func volumes() async throws {
        let ranges = try await database.column(
            """
            SELECT concat_ws(' ', n, volume_low, volume_high)
              FROM unnest(ARRAY[1, 2, 4, 5, 9, 10, 99, 100, 99999, 100000, 5000000]) AS n,
                   attribution.volume_range(n)
            """)
        #expect(
            ranges == [
                "1 1 1", "2 2 4", "4 2 4", "5 5 9", "9 5 9", "10 10 19", "99 50 99", "100 100 199",
                "99999 50000 99999", "100000 100000", "5000000 100000",
            ])
    }

    @Test("Tiers are counted by the last two digits of a campaign and by its postbacks of the install day", .database)
    func tiers() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 41)
        try await database.run(AnswerFacts.table)
        let keys = "environment, developer_copy, protocol, ad_network_id, advertised_app_id"
        #expect(
            try await database.differences(
                """
                SELECT \(keys), source_identifier, volume_low, volume_high, days, postbacks, tier_0, tier_1, tier_2,
                       tier_3, tier_unsure, tier_3_share
                  FROM attribution.report_tier('2026-09-25', '2026-11-30', an_environment => NULL, copies => NULL)
                """,
                """
                SELECT \(keys), source_identifier, low, low - 1 + CASE low WHEN 1 THEN 1 WHEN 2 THEN 3 ELSE 5 END,
                       count(*), sum(n), sum(t0), sum(t1), sum(t2), sum(t3), sum(unsure), round(sum(t3) / sum(n), 4)
                  FROM (SELECT \(keys), right(campaign, 2) AS source_identifier, install_day, count(*) AS n,
                               CASE WHEN count(*) < 2 THEN 1 WHEN count(*) < 5 THEN 2 ELSE 5 END AS low,
                               count(*) FILTER (WHERE tier_high = 0) AS t0,
                               count(*) FILTER (WHERE tier_low = 1 AND tier_high = 1) AS t1,
                               count(*) FILTER (WHERE tier_low = 2 AND tier_high = 2) AS t2,
                               count(*) FILTER (WHERE tier_low = 3) AS t3,
                               count(*) FILTER (WHERE tier_low < tier_high) AS unsure
                          FROM fact
                         WHERE did_win AND sequence_index = 0 AND campaign_type = 'source-identifier'
                           AND install_day BETWEEN '2026-09-25' AND '2026-11-30'
                         GROUP BY \(keys), right(campaign, 2), install_day) AS daily
                 GROUP BY \(keys), source_identifier, low
                """) == [])
        let volumes = "SELECT count(DISTINCT volume_low) > 1 FROM attribution.report_tier_all"
        #expect(try await database.value(volumes) == "true")
    }

    @Test(
        "The health of values counts winning postbacks by app, version and window, with shares of what can be a bug",
        .database)
    func health() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 42)
        try await database.run(AnswerFacts.table)
        for (report, day, condition) in [
            ("report_value_health_daily_all", "arrival_day,", "true"),
            (
                "report_value_health('2026-10-01', '2026-10-31', \(AnswerFixture.apps[0]), NULL, NULL)",
                "",
                "arrival_day BETWEEN '2026-10-01' AND '2026-10-31' AND advertised_app_id = \(AnswerFixture.apps[0])"
            ),
        ] {
            let figures = AnswerFacts.figures.filter {
                !["installs", "redownloads", "reengagements"].contains($0.name)
                    && !$0.name.hasPrefix("tier") && !$0.name.hasPrefix("revenue")
            }
            #expect(
                try await database.differences(
                    "SELECT * FROM attribution.\(report)",
                    """
                    SELECT *, round(not_set::numeric / nullif(fine + coarse + not_set, 0), 4),
                           round(unmapped::numeric / nullif(mapped + unmapped, 0), 4)
                      FROM (SELECT environment, developer_copy, \(day) advertised_app_id, protocol, version,
                                   sequence_index,
                                   \(figures.map { "\($0.sql) AS \($0.name)" }.joined(separator: ", "))
                              FROM fact
                             WHERE did_win AND \(condition)
                             GROUP BY environment, developer_copy, \(day) advertised_app_id, protocol, version,
                                      sequence_index) AS f
                    """) == [], "\(report)")
        }
        #expect(
            try await database.value(
                """
                SELECT bool_or(not_set_share > 0) AND bool_or(unmapped_share > 0)
                  FROM attribution.report_value_health_daily_all
                """)
                == "true")
    }

    @Test("Shares of missing and meaningless values stand beside those of as many days before", .database)
    func changes() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 44)
        let all = "an_environment => NULL, copies => NULL"
        let keys = "environment, developer_copy, advertised_app_id, protocol, version, sequence_index"
        func health(_ first: String, _ last: String) -> String {
            """
            (SELECT \(keys), postbacks, not_set_share, unmapped_share,
                    round(no_scheme::numeric / nullif(fine + coarse, 0), 4) AS no_scheme_share
               FROM attribution.report_value_health('\(first)', '\(last)', \(all)))
            """
        }
        #expect(
            try await database.differences(
                "SELECT * FROM attribution.report_value_change('2026-10-08', '2026-10-14', \(all))",
                """
                SELECT \(keys), coalesce(a.postbacks, 0), coalesce(b.postbacks, 0), a.not_set_share, b.not_set_share,
                       a.unmapped_share, b.unmapped_share, a.no_scheme_share, b.no_scheme_share
                  FROM \(health("2026-10-08", "2026-10-14")) AS a
                  FULL JOIN \(health("2026-10-01", "2026-10-07")) AS b USING (\(keys))
                """) == [])
        #expect(
            try await database.value(
                """
                SELECT bool_or(not_set_share > 0) AND bool_or(unmapped_share_before > 0) AND bool_or(no_scheme_share > 0)
                  FROM attribution.report_value_change('2026-10-08', '2026-10-14', \(all))
                """) == "true")
        // Nothing is before the beginning of time.
        #expect(
            try await database.value(
                """
                SELECT sum(postbacks_before) FROM attribution.report_value_change('-infinity', '2026-10-14', \(all))
                """) == "0")
    }

    @Test(
        "Impressions stand by their day of signing beside conversions, in each level of a source identifier", .database)
    func impressions() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 43)
        try await database.run(AnswerFacts.table)
        try await database.run(
            """
            INSERT INTO attribution.campaign_daily (line, day, impressions)
            SELECT line, date '2026-10-01' + line % 5, 1000 + line FROM attribution.line
            """)
        for day in ["arrival", "install"] {
            let names = ["installs", "redownloads", "reengagements"]
            let conversions = AnswerFacts.figures.filter { names.contains($0.name) }
            let keys = "environment, developer_copy, day, protocol, ad_network_id, campaign_type"
            #expect(
                try await database.differences(
                    """
                    SELECT \(keys), digits, campaign, advertised_app_id, impressions, installs, redownloads,
                           reengagements, conversions_per_thousand
                      FROM attribution.report_\(day)_impression_daily_all
                    """,
                    """
                    SELECT \(keys), digits, identifier, advertised_app_id, sum(impressions), sum(installs),
                           sum(redownloads), sum(reengagements),
                           round(1000 * (sum(installs) + sum(redownloads) + sum(reengagements))
                                 / nullif(sum(impressions), 0), 4)
                      FROM (SELECT \(keys), campaign, advertised_app_id, 0 AS impressions,
                                   \(conversions.map { "\($0.sql) AS \($0.name)" }.joined(separator: ", "))
                              FROM (SELECT *, \(day)_day AS day FROM fact) AS fact
                             WHERE did_win AND sequence_index = 0
                             GROUP BY \(keys), campaign, advertised_app_id
                            UNION ALL
                            SELECT \(keys), campaign, advertised_app_id, impressions, 0, 0, 0
                              FROM attribution.campaign_daily JOIN attribution.line USING (line)) AS part
                     CROSS JOIN LATERAL (
                           SELECT NULL::integer AS digits, campaign AS identifier WHERE campaign_type = 'campaign-id'
                           UNION ALL
                           SELECT n, right(campaign, n)
                             FROM generate_series(least(length(campaign), 2), length(campaign)) AS n
                            WHERE campaign_type = 'source-identifier') AS level
                     GROUP BY \(keys), digits, identifier, advertised_app_id
                    """) == [], "\(day)")
            #expect(
                try await database.value(
                    """
                    SELECT (SELECT sum(impressions)
                              FROM attribution.report_\(day)_impression(
                                   '-infinity', 'infinity', an_environment => NULL, copies => NULL)
                             WHERE coalesce(digits, 2) = 2)
                           = (SELECT sum(impressions) FROM attribution.campaign_daily)
                    """) == "true")
        }
    }
}
