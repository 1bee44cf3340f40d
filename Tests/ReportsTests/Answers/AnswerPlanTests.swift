import TestSupport
import Testing

@Suite("The plan of folding answers", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct AnswerPlanTests {
    private let database = TestDatabase.current

    /// The part of each common table expression in the plan of the statement that adds answers of events.
    private func plan(_ database: TestDatabase) async throws -> [Substring: String] {
        let lines = try await database.column(
            """
            SELECT plan(replace(
                       replace(substring(prosrc FROM '(WITH change.*);'), 'lanes, behind, up_to',
                               '''{}''::smallint[], ''{}''::bigint[], ''{}''::bigint[]'),
                       '''answers'', lines', '''answers'', ''{}''::integer[]'))
              FROM pg_proc
             WHERE oid = 'attribution.add_answers(smallint[], bigint[], bigint[], integer[])'::regprocedure
            """)
        var parts: [Substring: String] = [:]
        var part: Substring = ""
        for line in lines.compactMap(\.self) {
            if let match = line.wholeMatch(of: /\ \ CTE ([a-z]+)/) { part = match.1 }
            parts[part, default: ""] += line + "\n"
        }
        return parts
    }

    @Test(
        "With thousands of lines, no join compares all events with all lines, or with all combinations of facts",
        .database)
    func joins() async throws {
        try await database.run(
            """
            CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS
            $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN ' || query; END $$;
            INSERT INTO attribution.network (network, environment, protocol, ad_network_id)
            SELECT n, 'production', 'skadnetwork', 'example' || n || '.skadnetwork' FROM generate_series(1, 3) AS n;
            INSERT INTO attribution.line (line, network, environment, protocol, ad_network_id, developer_copy,
                                          campaign_type, campaign, advertised_app_id)
            SELECT n, 1 + n % 3, 'production', 'skadnetwork', 'example' || 1 + n % 3 || '.skadnetwork', false,
                   'source-identifier', 1000 + n, 525463000 + n % 20
              FROM generate_series(0, 1999) AS n;
            ANALYZE attribution.network, attribution.line
            """)
        let parts = try await plan(database)
        for part: Substring in ["facts", "answered"] {
            let plan = try #require(parts[part])
            #expect(plan.contains("Join"), "\(plan)")
            #expect(!plan.contains("Nested Loop"), "\(plan)")
        }
    }
}
