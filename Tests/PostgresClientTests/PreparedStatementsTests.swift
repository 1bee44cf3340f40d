import Testing

@testable import PostgresClient

@Suite("Prepared statements")
struct PreparedStatementsTests {
    private func key(_ number: Int) -> PreparedStatements.Key {
        PreparedStatements.Key(statement: madeUp(number), types: [])
    }

    private func madeUp(_ number: Int) -> PostgresStatement {
        PostgresStatement("made up", "SELECT \(number)::int4")
    }

    @Test("The statement that was not used for the longest time is removed first")
    func leastRecent() {
        var prepared = PreparedStatements()
        for number in 0..<PreparedStatements.limit {
            #expect(prepared.statementToRemove(unusedSince: prepared.uses) == nil)
            prepared.add(key(number), as: "s\(number)")
        }
        #expect(prepared.statementToRemove(unusedSince: prepared.uses) == key(0))
        #expect(prepared.use(key(0)) == "s0")
        #expect(prepared.statementToRemove(unusedSince: prepared.uses) == key(1))
        #expect(prepared[key(1)] == "s1")
        #expect(prepared.statementToRemove(unusedSince: prepared.uses) == key(1))
        prepared.remove(key(1))
        #expect(prepared.use(key(1)) == nil)
        #expect(prepared.statementToRemove(unusedSince: prepared.uses) == nil)
    }

    @Test("Statements that were used since a moment are kept")
    func recent() {
        var prepared = PreparedStatements()
        for number in 0..<PreparedStatements.limit { prepared.add(key(number), as: "s\(number)") }
        let moment = prepared.uses
        for number in 0..<PreparedStatements.limit - 1 { _ = prepared.use(key(number)) }
        let last = key(PreparedStatements.limit - 1)
        #expect(prepared.statementToRemove(unusedSince: moment) == last)
        _ = prepared.use(last)
        #expect(prepared.statementToRemove(unusedSince: moment) == nil)
    }

    @Test(
        "A connection that lives for long keeps its statements prepared",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func longLife() async throws {
        let texts = PostgresStatement(
            "prepared", "SELECT statement FROM pg_prepared_statements WHERE statement LIKE '-- made up%'")
        // Prepared by the first transaction, and the same one since: had it been removed, it would be younger.
        let isOldest = PostgresStatement(
            "is oldest",
            """
            SELECT statement LIKE '-- hot%' FROM pg_prepared_statements WHERE NOT from_sql
             ORDER BY prepare_time, statement LIMIT 1
            """)
        let hot = PostgresStatement("hot", "SELECT 'hot'")
        try await ClientTestDatabase.connected { connection in
            try connection.query(hot)
            for number in 0..<300 {
                let rows =
                    number % 2 == 0
                    ? try connection.query(madeUp(number))
                    : try connection.transaction("inside") { try $0.query(madeUp(number)) }
                #expect(try rows[0].decode(Int32.self, at: 0) == Int32(number))
                try connection.query(hot)
            }
            #expect(connection.prepared.count == PreparedStatements.limit)
            let kept = try connection.query(texts).map { row in try row.decode(String.self, at: 0) }
            // Those of the catalogue and the hot one have their places too.
            #expect(Set(kept) == Set((300 - 254..<300).map { "-- made up\nSELECT \($0)::int4" }))
            #expect(try connection.query(isOldest)[0].decode(Bool.self, at: 0))
            // Removed meanwhile, and prepared again.
            #expect(try connection.query(madeUp(0))[0].decode(Int32.self, at: 0) == 0)
        }
    }

    @Test(
        "A pipeline may have more statements than are kept",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func longPipeline() async throws {
        let count = PostgresStatement("count", "SELECT count(*) FROM pg_prepared_statements")
        try await ClientTestDatabase.connected { connection in
            for number in 250..<400 { try connection.query(madeUp(number)) }
            let results = try connection.pipeline((0..<300).map { PostgresPipelineStep(madeUp($0)) })
            #expect(try results.map { result in try result[0].decode(Int32.self, at: 0) } == (0..<300).map(Int32.init))
            #expect(connection.prepared.count == 300)
            // The next new statement brings the number back to the limit.
            #expect(try connection.query(count)[0].decode(Int64.self, at: 0) == Int64(PreparedStatements.limit))
        }
    }

    @Test(
        "Statements can be removed even if the server does not know them any more",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func forgotten() async throws {
        try await ClientTestDatabase.connected { connection in
            for number in 0..<PreparedStatements.limit { try connection.query(madeUp(number)) }
            try connection.execute(script: "DEALLOCATE ALL")
            #expect(try connection.query(madeUp(1000))[0].decode(Int32.self, at: 0) == 1000)
            #expect(try connection.pipeline([PostgresPipelineStep(madeUp(5))])[0].count == 1)
            #expect(connection.prepared.count == PreparedStatements.limit)
        }
    }
}
