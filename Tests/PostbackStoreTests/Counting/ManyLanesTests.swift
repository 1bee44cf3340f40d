import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite("Counting over many lanes", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase)
struct ManyLanesTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let keys: TestKeys

    init() throws {
        keys = try TestKeys()
    }

    @Test(
        "Batches full of duplicates, from two servers in turn, end as the rules say", arguments: [1, 3, 16],
        ConversionPolicy.allCases)
    func model(_ lanes: Int, _ policy: ConversionPolicy) async throws {
        var random = SeededGenerator(seed: UInt64(lanes))
        var model = CountingModel(policy)
        let postbacks = (0..<30).map { number in TestPostback { $0.campaignID = number % 4 + 1 } }
        try await TestDatabase.with(lanes: lanes) { database in
            try await database.withStore(policy: policy) { first in
                // On a cluster this one reaches the coordinator only.
                try await database.withStore(workers: nil, policy: policy) { second in
                    for round in 0..<12 {
                        let drawn = (0..<Int.random(in: 1...80, using: &random)).map { _ in
                            // Few postbacks make most of the batch.
                            let bound = Bool.random(using: &random) ? 3 : postbacks.count
                            return (
                                postbacks[Int.random(in: 0..<bound, using: &random)],
                                Bool.random(using: &random) ? Int.random(in: 0...63, using: &random) : nil
                            )
                        }
                        let expected = drawn.map { model.deliver($0.0.transactionID, $0.1) }
                        let batch = try drawn.map { drawn in
                            var postback = drawn.0
                            postback.conversionValue = drawn.1
                            return PostbackDelivery(
                                try keys.verified(postback.body(keys.postbackKey)), receivedAt: Deliveries.time)
                        }
                        let outcomes = try await (round % 2 == 0 ? first : second).record(batch).map { try $0.get() }
                        #expect(outcomes == expected)
                        if round % 5 == 0 { _ = try await first.fold() }
                    }
                }
            }
            let rows = try await database.column(
                """
                SELECT concat_ws(' ', transaction_id, coalesce(first_conversion_value, -1),
                                 coalesce(conversion_value, -1), conflicts)
                  FROM attribution.postback ORDER BY 1
                """)
            let expected = model.rows.map { "\($0) \($1.first ?? -1) \($1.current ?? -1) \($1.conflicts)" }
            #expect(rows.compactMap(\.self) == expected.sorted())
            #expect(try await database.recount() == [])
        }
    }

    @Test(
        "A plan that was made while the tables were empty finds rows by their key when they are large",
        .onPlainDatabase("it reads the plans of one pool of connections"), .database(lanes: 1, connections: 1))
    func plan() async throws {
        let postback = try LaterPostback(keys)
        func offer(_ value: Int64) throws -> PostbackDelivery {
            try postback.delivery(.fine(value), verifier: keys.verifier, at: Deliveries.time)
        }
        let (first, second) = (try offer(1), try offer(2))
        // One connection for batches, so that the plan is that of the first batch.
        // With these statistics the planner thinks that every scan is cheap.
        try await database.run("ANALYZE attribution.postback_state")
        for _ in 0..<8 { _ = try await store.record([first])[0].get() }
        try await database.run(
            """
            INSERT INTO attribution.postback_state (
                transaction_id, received_at, position, line, source, traits, conflicts, lane, network,
                sequence_index, value, first_value, previous_value, ordinal, did_win)
            SELECT gen_random_uuid(), received_at, position, line, source, traits, conflicts, lane, network,
                   sequence_index, value, first_value, previous_value, ordinal, did_win
              FROM attribution.postback_state, generate_series(1, 20000)
            """)
        #expect(try await store.record([second])[0].get() == .raised)
        let plans = try await store.writers.withConnection { connection in
            try connection.query(Self.countingStatements).map { row in
                let name = try row.decode(String.self, at: 0)
                let arguments = try row.decode(String.self, at: 1)
                let explain = PostgresStatement("explain", "EXPLAIN EXECUTE \"\(name)\"(\(arguments))")
                return try connection.query(explain).map { try $0.decode(String.self, at: 0) }
            }
        }
        #expect(plans.count == 1)
        for plan in plans {
            let reads = plan.filter { $0.contains(" on postback_state") && $0.contains("Scan") }
            #expect(reads.count == 2)
            #expect(reads.contains { $0.contains("Index Scan using postback_key") })
            #expect(plan.contains { $0.contains("Index Cond: ((transaction_id = ") })
            #expect(reads.contains { $0.contains("Tid Scan on postback_state") })
        }
    }

    /// The prepared statements that count, with arguments for all of their parameters.
    private static let countingStatements = PostgresStatement(
        "test_plans",
        """
        SELECT name, '0' || repeat(', ''{}''', cardinality(parameter_types) - 1)
          FROM pg_prepared_statements WHERE statement LIKE '%INSERT INTO attribution.postback_state%'
           AND name LIKE '%postback_count%'
        """)
}
