import TestSupport
import Testing

@Suite("Reports of answers", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct AnswerReportTests {
    private let database = TestDatabase.current

    private static let days = ["arrival", "install"]

    /// The views that show production; each has one with `_all`.
    private static let views =
        (AnswerFacts.families.map(\.name) + ["impression"]).flatMap { family in
            days.map { "report_\($0)_\(family)_daily" }
        } + ["report_tier", "report_value_health_daily"]

    private static let isReport = "~ '^report_((arrival|install)_|tier|value_health)'"

    @Test(
        "The daily views of each family equal sums over what each postback says, by each key and for both days",
        .database)
    func daily() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 31)
        try await database.run(AnswerFacts.table)
        for family in AnswerFacts.families {
            for day in Self.days {
                let view = "attribution.report_\(day)_\(family.name)_daily_all"
                #expect(
                    try await database.differences(
                        "SELECT \(family.columns(byDay: true)), \(family.names) FROM \(view)",
                        family.expected(day, byDay: true)) == [], "\(view)")
                #expect(try await database.value("SELECT count(*) > 20 FROM \(view)") == "true")
            }
        }
    }

    @Test(
        "The functions of each family equal the same sums over the days of a range and of each day, for all apps and one",
        .database, arguments: [false, true])
    func range(byDay: Bool) async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 32)
        try await database.run(AnswerFacts.table)
        for family in AnswerFacts.families {
            for day in Self.days {
                for app in [nil, AnswerFixture.apps[0]] {
                    let arguments =
                        "'2026-10-03', '2026-11-07'" + (app.map { ", \($0)" } ?? "")
                        + ", an_environment => NULL, copies => NULL"
                    let condition =
                        "day BETWEEN '2026-10-03' AND '2026-11-07'"
                        + (app.map { " AND advertised_app_id = \($0)" } ?? "")
                    let function = "attribution.report_\(day)_\(family.name)\(byDay ? "_daily" : "")(\(arguments))"
                    #expect(
                        try await database.differences(
                            "SELECT \(family.columns(byDay: byDay)), \(family.names) FROM \(function)",
                            family.expected(day, byDay: byDay, where: condition)) == [], "\(function)")
                }
            }
        }
    }

    @Test(
        "An install day is complete when all of its postbacks are, by the schemes of the app up to SKAdNetwork 3.0",
        .database)
    func complete() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 33)
        try await database.run(AnswerFacts.table)
        #expect(
            try await database.column(
                """
                SELECT concat_ws(' ', advertised_app_id, from_day, to_day, measurement_window_hours)
                  FROM attribution.measurement_window ORDER BY advertised_app_id, from_day
                """) == [
                    "525463029 2026-09-01 2026-10-19 96", "525463029 2026-10-20 infinity 96",
                    "1234567891 2026-10-02 2026-11-14",
                ])
        #expect(
            try await database.column(
                """
                SELECT r::text FROM attribution.report_install_campaign_daily_all AS r
                 WHERE complete <> (now() AT TIME ZONE 'UTC' >= day + CASE
                           WHEN campaign_type = 'source-identifier' THEN (ARRAY[5, 14, 42])[sequence_index + 1]
                           WHEN advertised_app_id = \(AnswerFixture.apps[0]) THEN 7 ELSE 66 END)
                """) == [])
        #expect(
            try await database.value(
                """
                SELECT count(*) FROM attribution.report_install_campaign_daily_all AS r
                  JOIN fact ON fact.install_day = r.day AND fact.campaign = r.campaign
                   AND fact.campaign_type = r.campaign_type AND fact.advertised_app_id = r.advertised_app_id
                   AND fact.sequence_index = r.sequence_index
                 WHERE r.complete AND NOT fact.complete
                """) == "0")
        // A range is complete if its last day is. No postback needs more than 66 days.
        #expect(
            try await database.value(
                """
                SELECT coalesce(bool_and(complete), true)
                  FROM attribution.report_install_source(
                           '-infinity', (now() AT TIME ZONE 'UTC')::date - 66, an_environment => NULL, copies => NULL)
                """) == "true")
        #expect(
            try await database.value(
                """
                SELECT bool_or(complete)
                  FROM attribution.report_install_mapping(
                           '-infinity', (now() AT TIME ZONE 'UTC')::date, an_environment => NULL, copies => NULL)
                """) == "false")
    }

    @Test(
        "Each view has the columns of its view with _all but for its first two, and the rows of production", .database)
    func production() async throws {
        let (_, database) = try await AnswerFixture().folded(seed: 34)
        try await database.run(
            """
            INSERT INTO attribution.campaign_daily (line, day, impressions)
            SELECT line, date '2026-10-01' + line % 5, 1000 FROM attribution.line
            """)
        // Sums of all campaigns of an app are those of its first line, so its lines are alike at first.
        let ofApps = Self.views.filter { view in ["version", "app_source", "health"].contains { view.contains($0) } }
        for (number, views) in [("dense_rank() OVER (ORDER BY app_line)", ofApps), ("line", Self.views)] {
            try await database.run(
                """
                UPDATE attribution.line
                   SET environment = CASE WHEN number % 2 = 0 THEN 'test' ELSE 'production' END,
                       developer_copy = number % 4 < 2
                  FROM (SELECT line AS of_line, \(number) AS number FROM attribution.app_line) AS numbered
                 WHERE line = of_line
                """)
            // So are sums by two digits, but not every app has tiers.
            for view in views {
                try await check(view, view == "report_tier" || ofApps.contains(view) && number == "line")
            }
        }
    }

    /// Compares a view with its rows of production in the view of all environments.
    private func check(_ view: String, _ hasFewerEnvironments: Bool) async throws {
        let database = TestDatabase.current
        let columns = try await database.column(
            """
            SELECT attname FROM pg_attribute
             WHERE attrelid = 'attribution.\(view)_all'::regclass AND attnum > 0 ORDER BY attnum
            """
        ).compactMap(\.self)
        #expect(columns.prefix(2) == ["environment", "developer_copy"])
        let shown = columns.dropFirst(2).joined(separator: ", ")
        #expect(
            try await database.differences(
                "SELECT * FROM attribution.\(view)",
                """
                SELECT \(shown) FROM attribution.\(view)_all WHERE environment = 'production' AND NOT developer_copy
                """) == [], "\(view)")
        let environments = try await database.column(
            "SELECT DISTINCT concat_ws(' ', environment, developer_copy) FROM attribution.\(view)_all")
        #expect(hasFewerEnvironments || environments.count == 4, "\(view)")
    }

    @Test("Each view, column and function has a comment", .database)
    func comments() async throws {
        let views = try await database.column(
            """
            SELECT relname FROM pg_class
             WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v' AND relname \(Self.isReport) ORDER BY 1
            """)
        #expect(views == (Self.views + Self.views.map { $0 + "_all" }).sorted())
        #expect(
            try await database.column(
                """
                SELECT attrelid::regclass || '.' || attname
                  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum >= 0
                 WHERE relnamespace = 'attribution'::regnamespace
                   AND (relname \(Self.isReport) OR relname IN ('app_line', 'measurement_window', 'shown_traits'))
                   AND col_description(attrelid, attnum) IS NULL
                UNION ALL
                SELECT relname FROM pg_class
                 WHERE relnamespace = 'attribution'::regnamespace
                   AND (relname \(Self.isReport) OR relname IN ('app_line', 'measurement_window', 'shown_traits'))
                   AND obj_description(oid, 'pg_class') IS NULL
                UNION ALL
                SELECT oid::regprocedure::text FROM pg_proc
                 WHERE pronamespace = 'attribution'::regnamespace
                   AND (proname \(Self.isReport) OR proname LIKE 'answers\\_by\\_%'
                        OR proname IN ('answer_sums', 'derived_figures', 'money', 'recounted_answers', 'value_health',
                                       'volume_range'))
                   AND obj_description(oid, 'pg_proc') IS NULL
                """) == [])
    }

    @Test("A report reads the sums of its own day and split, and no others", .database)
    func partitions() async throws {
        try await makePlan()
        for name in ["tier", "modelled_revenue", "modelled_revenue_by_app", "modelled_revenue_by_network"] {
            let query = "attribution.report_\(name)(''2026-10-01'', ''2026-10-31'')"
            let tables = try await tablesRead("SELECT plan('SELECT * FROM \(query)')")
            #expect(tables == ["install_two_digits_daily"], "\(name)")
        }
        for day in Self.days {
            for (family, expected) in [
                ("campaign", ["\(day)_daily"]), ("source_identifier", ["\(day)_daily"]), ("traits", ["traits_daily"]),
                // Those that name no source are all less those that do.
                ("source", ["source_daily", "\(day)_daily"]), ("version", ["\(day)_version_daily"]),
                ("app_source", ["app_source_daily", "\(day)_version_daily"]), ("event", ["\(day)_event_daily"]),
                ("impression", ["\(day)_daily"]),
            ] {
                let plans = [
                    "attribution.report_\(day)_\(family)('2026-10-01', '2026-10-31')",
                    "attribution.report_\(day)_\(family)_daily('2026-10-01', '2026-10-31')",
                    "attribution.report_\(day)_\(family)_daily WHERE day = '2026-10-01'",
                ]
                for query in plans {
                    let quoted = query.replacing("'", with: "''")
                    let tables = try await tablesRead("SELECT plan('SELECT * FROM \(quoted)')")
                    #expect(tables == Set(expected), "\(query)")
                }
            }
        }
    }

    @Test("By the day of arrival, installs of earlier days are read only as far back as a postback can take", .database)
    func earliestInstall() async throws {
        try await makePlan()
        let earliest = try #require(
            try await database.value("SELECT date '2026-10-01' - attribution.greatest_lag()"))
        for family in ["traits", "source", "app_source"] {
            let report = "attribution.report_arrival_\(family)_daily(''2026-10-01'', ''2026-10-31'')"
            let plan = try await database.column(
                "SELECT plan('SELECT * FROM \(report) WHERE day = ''2026-10-02''')"
            ).compactMap(\.self)
            let conditions = plan.filter { $0.contains("install_day >=") }
            #expect(!conditions.isEmpty, "\(plan)")
            #expect(conditions.allSatisfy { $0.contains("install_day >= '\(earliest)'::date") }, "\(conditions)")
        }
    }

    /// Makes a function that gives the plan of a query.
    private func makePlan() async throws {
        try await database.run(
            """
            CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS
            $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN ' || query; END $$
            """)
    }

    /// The tables of answers in a plan, without the beginning of their names.
    private func tablesRead(_ plan: String) async throws -> Set<String> {
        let lines = try await database.column(plan).compactMap(\.self)
        return Set(lines.flatMap { line in line.matches(of: /on answer_([a-z_]*daily)/).map { String($0.1) } })
    }
}
