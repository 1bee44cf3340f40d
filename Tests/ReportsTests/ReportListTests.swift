import PostgresClient
import Reports
import TestSupport
import Testing

@testable import DatabaseSchema
@testable import PostbackStore
@testable import Reports

@Suite(
    "The lists of which reports are made", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct ReportListTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    /// A column of the answers; docs/architecture.md shows this line.
    private static let column = """
            ('answers', 'mapped_share', 'numeric', 'attribution.average(total(mapped), total(fine + coarse))',
             'mapped divided by fine + coarse, to four places; NULL if both are 0'),

        """

    /// A report; docs/architecture.md shows it.
    private static let report = """
            ('app_health', 'value_health', 'day protocol version', 'an_advertised_app_id', 'both',
             'attribution.value_health(false, $1, $2, $3)', '*', 'Values set and not set by app'),

        """

    @Test("A column of all reports of answers is one entry of the lists, and so is a report")
    func additions() async throws {
        _ = await store.record(try Deliveries().simulated(600, seed: 5))
        _ = try await store.foldAnswers(waits: true)
        try await makeReports([
            "report_columns": ("    ('answers', 'postbacks',", Self.column),
            "reports": ("    ('value_health', 'value_health',", Self.report),
        ])

        let answers = try await store.reportCatalog().reports.filter { $0.column("mapped_share") != nil }
        #expect(answers.count == 28)
        for report in answers {
            #expect(report.column("mapped_share")?.meaning.hasPrefix("mapped divided by") == true)
            #expect(report.column("mapped_share")?.isDimension == false)
        }
        for source in ["report_install_campaign_daily_all", "report_arrival_source_identifier_daily_all"] {
            let wrong = try await database.column(
                """
                SELECT 'wrong' FROM attribution.\(source)
                 WHERE mapped_share IS DISTINCT FROM attribution.average(mapped, fine + coarse)
                """)
            #expect(wrong.isEmpty, "\(source)")
            #expect(try await database.value("SELECT count(*)::text FROM attribution.\(source)") != "0")
        }

        let report = try #require(try await store.reportCatalog()["app_health"])
        #expect(report.meaning == "Values set and not set by app, over a range of install days")
        #expect(
            report.columns.filter(\.isDimension).map(\.name)
                == ["environment", "developer_copy", "advertised_app_id", "sequence_index"])
        let rows = try await store.rows("app_health", ["from=2026-06-01", "to=2026-09-30", "environment=test"])
        #expect(!rows.isEmpty)
        let different = try await database.column(
            """
            (SELECT advertised_app_id, sequence_index, postbacks, not_set_share FROM attribution.report_app_health_all
             EXCEPT
             SELECT advertised_app_id, sequence_index, sum(postbacks)::bigint,
                    attribution.average(sum(not_set)::bigint, sum(fine + coarse + not_set)::bigint)
               FROM attribution.report_value_health('-infinity', 'infinity', an_environment => NULL, copies => NULL)
              GROUP BY environment, developer_copy, advertised_app_id, sequence_index)
            """)
        #expect(different.isEmpty)
    }

    @Test("Each column of a report has the type of the list, in the place of the list")
    func types() async throws {
        let different = try await database.column(
            """
            SELECT coalesce(catalog.report, made.report) || '.' || coalesce(catalog.name, made.name)
              FROM attribution.catalog
              FULL JOIN (
                   SELECT substr(proname, 8), argument, format_type(type, NULL),
                          row_number() OVER (PARTITION BY proname ORDER BY place)
                     FROM pg_proc,
                          unnest(proargnames, proargmodes, proallargtypes)
                              WITH ORDINALITY AS a (argument, mode, type, place)
                    WHERE pronamespace = 'attribution'::regnamespace AND proname LIKE 'report\\_%' AND mode = 't'
                   UNION ALL
                   SELECT substr(relname, 8, length(relname) - 11), attname, format_type(atttypid, NULL), attnum
                     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
                    WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v' AND relname LIKE 'report\\_%\\_all'
                      AND NOT EXISTS (SELECT FROM pg_proc WHERE proname = left(relname, -4))
                   ) AS made (report, name, type, place)
                     ON made.report = catalog.report AND made.name = catalog.name AND made.type = catalog.type
                    AND made.place = catalog.number
             WHERE catalog.report IS NULL OR made.report IS NULL
            """)
        #expect(different.isEmpty)
    }

    @Test("A function shows production without copies, unless its last two arguments say otherwise")
    func environments() async throws {
        _ = try await AnswerFixture().folded(seed: 43)
        // The same campaigns stand in all environments, and as copies: the dimensions of some lines are changed.
        try await database.run(
            """
            UPDATE attribution.line
               SET environment = (ARRAY['production', 'test', 'development'])[1 + line % 3], developer_copy = line % 4 = 0
            """)
        let functions = try await database.column(
            """
            SELECT report FROM attribution.catalog WHERE form = 'range'
             GROUP BY 1 HAVING bool_or(name = 'developer_copy') ORDER BY 1
            """
        ).compactMap { $0.map { "attribution.report_\($0)" } }
        #expect(functions.count > 25)
        for function in functions {
            let days = "'-infinity', 'infinity'"
            let everything = "SELECT * FROM \(function)(\(days), an_environment => NULL, copies => NULL)"
            for (arguments, condition) in [
                ("", "environment = 'production' AND NOT developer_copy"),
                (", an_environment => NULL", "NOT developer_copy"),
                (", copies => NULL", "environment = 'production'"),
                (", an_environment => 'test', copies => true", "environment = 'test' AND developer_copy"),
            ] {
                #expect(
                    try await database.differences(
                        "SELECT * FROM \(function)(\(days)\(arguments))",
                        "SELECT * FROM (\(everything)) AS report WHERE \(condition)") == [],
                    "\(function) \(arguments)")
            }
            let seen = "SELECT count(DISTINCT (environment, developer_copy))::text FROM (\(everything)) AS report"
            #expect(try await database.value(seen) != "0", "\(function)")
        }
    }

    @Test("docs/sql.md lists each report with its keys")
    func documents() async throws {
        let lines = try await database.column(
            """
            SELECT format('| `%s` | %s | %s |', report, report_meaning,
                          string_agg('`' || name || '`', ', ' ORDER BY number)
                              FILTER (WHERE kind = 'key' AND name NOT IN ('environment', 'developer_copy')))
              FROM attribution.catalog
             GROUP BY report, report_meaning
             ORDER BY report COLLATE "C"
            """
        ).compactMap(\.self)
        let text = String(decoding: try TestEnvironment.file("docs/sql.md"), as: UTF8.self)
        let table = text.split(separator: "| report | its rows | one row per |\n|---|---|---|\n")[1]
        #expect(table.split(separator: "\n\n")[0] == lines.joined(separator: "\n"))
    }

    /// Makes all reports anew of the lists, each with an entry more before a line.
    private func makeReports(_ additions: [String: (before: String, entry: String)]) async throws {
        try await database.run(
            """
            DO $$
            DECLARE
                made record;
            BEGIN
                FOR made IN SELECT oid::regprocedure::text AS name FROM pg_proc
                             WHERE pronamespace = 'attribution'::regnamespace
                               AND (proname LIKE 'report\\_%' OR proname IN (
                                       SELECT family FROM attribution.catalog_family WHERE source IS NOT NULL))
                LOOP
                    EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', made.name);
                END LOOP;
            END $$;
            """)
        for file in Definitions.all.files where file.name.hasPrefix("report_") || file.name.hasSuffix("reports") {
            var script = file.script
            if let (line, entry) = additions[file.name] {
                let place = try #require(script.firstRange(of: line))
                script.insert(contentsOf: entry, at: place.lowerBound)
            }
            try await database.run(script)
        }
    }
}
