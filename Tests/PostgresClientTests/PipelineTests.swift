import PostgresClient
import Testing

@Suite("Pipelines", .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
struct PipelineTests {
    private static let one = PostgresPipelineStep(PostgresStatement("one", "SELECT 1::int8"))
    private static let divide = PostgresPipelineStep(PostgresStatement("divide", "SELECT 1 / 0"))
    private static let sleep = PostgresPipelineStep(PostgresStatement("sleep", "SELECT pg_sleep(120)::text"))
    private static let noServerTimeout = PostgresStatement("no timeout", "SET statement_timeout = 0")

    /// Makes a table with a column `n`.
    private func makeTable() async throws -> String {
        let table = ClientTestDatabase.tableName()
        try await ClientTestDatabase.connected { try $0.execute(script: "CREATE TABLE \(table) (n int8 PRIMARY KEY)") }
        return table
    }

    private func insert(_ table: String, _ number: Int64) -> PostgresPipelineStep {
        var bindings = PostgresBindings()
        bindings.append(number)
        return PostgresPipelineStep(PostgresStatement("insert", "INSERT INTO \(table) VALUES ($1)"), bindings)
    }

    private func read(_ table: String) -> PostgresStatement {
        PostgresStatement("read", "SELECT n FROM \(table) ORDER BY n")
    }

    private func numbers(_ table: String) async throws -> [Int64] {
        let read = read(table)
        return try await ClientTestDatabase.connected { connection in
            try connection.query(read).map { row in try row.decode(Int64.self, at: 0) }
        }
    }

    @Test("Each step has its result, in order")
    func results() async throws {
        let table = try await makeTable()
        let steps = [insert(table, 5), Self.one, insert(table, 6), PostgresPipelineStep(read(table)), Self.one]
        try await ClientTestDatabase.connected { connection in
            for _ in 0..<3 {
                let results = try connection.pipeline(steps)
                #expect(results.map(\.affectedRows) == [1, 1, 1, 2, 1])
                #expect(try results[3].map { row in try row.decode(Int64.self, at: 0) } == [5, 6])
                #expect(try results[4][0].decode(Int64.self, at: 0) == 1)
                try connection.execute(script: "DELETE FROM \(table)")
            }
            #expect(try connection.pipeline([]).isEmpty)
            #expect(try connection.pipeline([Self.one]).count == 1)
        }
    }

    @Test("An error in the middle rolls all steps back, and the connection can still be used")
    func errorInTheMiddle() async throws {
        let table = try await makeTable()
        let steps = [insert(table, 1), insert(table, 2), insert(table, 1), Self.divide, insert(table, 3)]
        let good = [insert(table, 7), insert(table, 8)]
        try await ClientTestDatabase.connected { connection in
            for _ in 0..<2 {
                let error = #expect(throws: PostgresError.self) { try connection.pipeline(steps) }
                #expect(error?.sqlState == .uniqueViolation)
                #expect(error?.constraint == "\(table)_pkey")
                #expect(error?.statement == "insert")
                #expect(error?.isOutcomeUnknown == false)
            }
            let second = #expect(throws: PostgresError.self) { try connection.pipeline([Self.one, Self.divide]) }
            #expect(second?.statement == "divide")
            #expect(try connection.query(Self.one.statement).count == 1)
            try connection.transaction("after") { _ = try $0.pipeline(good) }
        }
        #expect(try await numbers(table) == [7, 8])
    }

    @Test("An error of the commit rolls all steps back")
    func errorOfCommit() async throws {
        let table = ClientTestDatabase.tableName()
        let steps = [insert(table, 1), insert(table, 1), Self.one]
        try await ClientTestDatabase.connected { connection in
            try connection.execute(
                script:
                    "CREATE TABLE \(table) (n int8, CONSTRAINT \(table)_later UNIQUE (n) DEFERRABLE INITIALLY DEFERRED)"
            )
            let error = #expect(throws: PostgresError.self) { try connection.pipeline(steps) }
            #expect(error?.sqlState == .uniqueViolation)
            #expect(error?.constraint == "\(table)_later")
            #expect(error?.statement == "one")
            #expect(error?.isOutcomeUnknown == false)
            #expect(try connection.pipeline([Self.one, Self.one]).count == 2)
        }
        #expect(try await numbers(table).isEmpty)
    }

    @Test("If a statement can't be prepared, no step runs")
    func notPrepared() async throws {
        let table = try await makeTable()
        let missing = ClientTestDatabase.tableName()
        let steps = [insert(table, 1), insert(missing, 1)]
        try await ClientTestDatabase.connected { connection in
            for _ in 0..<2 {
                let error = #expect(throws: PostgresError.self) { try connection.pipeline(steps) }
                #expect(error?.sqlState == .undefinedTable)
                #expect(error?.isOutcomeUnknown == false)
            }
            try connection.execute(script: "CREATE TABLE \(missing) (n int8)")
            try connection.pipeline(steps)
        }
        #expect(try await numbers(table) == [1])
        #expect(try await numbers(missing) == [1])
    }

    @Test("Inside a transaction the steps belong to it")
    func insideTransaction() async throws {
        struct Refusal: Error {}
        let table = try await makeTable()
        let (first, second, read) = ([insert(table, 1), Self.one], [insert(table, 2), Self.divide], read(table))
        try await ClientTestDatabase.connected { connection in
            #expect(throws: Refusal.self) {
                try connection.transaction("refused") {
                    try $0.pipeline(first)
                    throw Refusal()
                }
            }
            let swallowed = #expect(throws: PostgresError.self) {
                try connection.transaction("swallowing") {
                    try $0.pipeline(first)
                    _ = try? $0.pipeline(second)
                    _ = try? $0.pipeline(first)
                }
            }
            #expect(swallowed?.sqlState?.code == "22012")
            #expect(swallowed?.statement == "divide")
            #expect(try connection.query(read).isEmpty)
            // A failed transaction stays open until somebody ends it.
            try connection.execute(script: "BEGIN")
            #expect(throws: PostgresError.self) { try connection.pipeline(second) }
            let failed = #expect(throws: PostgresError.self) { try connection.pipeline([Self.one]) }
            #expect(failed?.sqlState?.code == "25P02")
            try connection.execute(script: "ROLLBACK")
            try connection.transaction("kept") { _ = try $0.pipeline(first) }
        }
        #expect(try await numbers(table) == [1])
    }

    @Test("A step sees what was committed before the step before it got its lock")
    func snapshot() async throws {
        let table = try await makeTable()
        let key = Int32.random(in: .min ... .max)
        let lock = PostgresPipelineStep(PostgresStatement("lock", "SELECT pg_advisory_xact_lock(71, \(key))"))
        let greatest = PostgresPipelineStep(PostgresStatement("greatest", "SELECT (SELECT max(n) FROM \(table))"))
        let waiters = PostgresStatement(
            "waiters",
            """
            SELECT count(*) FROM pg_locks
             WHERE locktype = 'advisory' AND classid = 71 AND objid::int8 = (\(key)::int8 & 4294967295) AND NOT granted
            """)
        let insert = insert(table, 42)
        let first = try await PostgresConnection.connect(ClientTestDatabase.configuration(), logger: .silent)
        let second = try await PostgresConnection.connect(ClientTestDatabase.configuration(), logger: .silent)
        try await first.execute(script: "BEGIN")
        try await first.pipeline([lock, insert])
        async let answer = second.pipeline([lock, greatest])
        let isWaiting = try await eventually {
            try await ClientTestDatabase.connected { try $0.query(waiters)[0].decode(Int64.self, at: 0) } == 1
        }
        #expect(isWaiting)
        try await first.execute(script: "COMMIT")
        #expect(try await answer[1][0].decode(Int64?.self, at: 0) == 42)
        await first.close()
        await second.close()
    }

    @Test("Writers that take a lock first assign numbers without gaps")
    func locks() async throws {
        let table = try await makeTable()
        let key = Int32.random(in: .min ... .max)
        let steps = [
            PostgresPipelineStep(PostgresStatement("lock", "SELECT pg_advisory_xact_lock(72, \(key))")),
            PostgresPipelineStep(
                PostgresStatement("next", "INSERT INTO \(table) SELECT coalesce(max(n), 0) + 1 FROM \(table)")),
        ]
        let pool = try ClientTestDatabase.pool(size: 4)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<50 { _ = try await pool.withStatement("next") { try $0.pipeline(steps) } }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await numbers(table) == Array(1...200))
        await pool.close()
    }

    @Test("A pipeline runs again after a serialisation failure")
    func serialisation() async throws {
        let table = try await makeTable()
        try await ClientTestDatabase.connected { connection in
            try connection.execute(
                script: """
                    CREATE SEQUENCE \(table)_s;
                    CREATE FUNCTION \(table)_f() RETURNS int8 LANGUAGE plpgsql AS $$
                        DECLARE run int8 := nextval('\(table)_s');
                        BEGIN IF run < 3 THEN RAISE 'again' USING ERRCODE = '40001'; END IF; RETURN run; END $$;
                    """)
        }
        let steps = [
            insert(table, 1), PostgresPipelineStep(PostgresStatement("may fail", "SELECT \(table)_f()")),
        ]
        let pool = try ClientTestDatabase.pool(size: 1)
        let run = try await pool.withStatement("again") { try $0.pipeline(steps)[1][0].decode(Int64.self, at: 0) }
        #expect(run == 3)
        #expect(try await numbers(table) == [1])
        await pool.close()
    }

    @Test("If the backend ends in the middle, the outcome is unknown")
    func endedBackend() async throws {
        let table = try await makeTable()
        let end = PostgresPipelineStep(PostgresStatement("end itself", "SELECT pg_terminate_backend(pg_backend_pid())"))
        let steps = [insert(table, 1), end, insert(table, 2)]
        let pool = try ClientTestDatabase.pool(size: 1)
        let error = try await clientError { try await pool.withStatement("ended") { try $0.pipeline(steps) } }
        #expect(error.isConnectionLoss)
        #expect(error.sqlState == .adminShutdown)
        #expect(error.isOutcomeUnknown)
        #expect(pool.state == (0, 0, 0, 1))
        let inside = try await clientError {
            try await pool.withTransaction("ended") { try $0.pipeline(steps) }
        }
        #expect(inside.isConnectionLoss)
        #expect(!inside.isOutcomeUnknown)
        #expect(try await pool.withStatement("after") { try $0.pipeline([Self.one]).count } == 1)
        #expect(try await numbers(table).isEmpty)
        await pool.close()
    }

    @Test("The server ends a slow step, and the connection can still be used")
    func slowStep() async throws {
        let table = try await makeTable()
        let steps = [insert(table, 1), Self.sleep, insert(table, 2)]
        try await ClientTestDatabase.connected({
            $0.statementTimeout = .milliseconds(300)
            $0.answerGrace = .seconds(60)
        }) { connection in
            let error = #expect(throws: PostgresError.self) { try connection.pipeline(steps) }
            #expect(error?.sqlState == .queryCanceled)
            #expect(error?.statement == "sleep")
            #expect(error?.isOutcomeUnknown == false)
            let after = try connection.pipeline([Self.one])
            #expect(after.count == 1)
        }
        #expect(try await numbers(table).isEmpty)
    }

    @Test("If the server does not answer, the connection is lost")
    func noAnswer() async throws {
        let name = ClientTestDatabase.tableName()
        let connection = try await PostgresConnection.connect(
            ClientTestDatabase.configuration {
                $0.applicationName = name
                $0.statementTimeout = .milliseconds(500)
                $0.answerGrace = .milliseconds(100)
            }, logger: .silent)
        try await connection.query(Self.noServerTimeout)
        let error = try await clientError { try await connection.pipeline([Self.one, Self.sleep]) }
        #expect(error.code == .deadlineExceeded)
        #expect(error.isOutcomeUnknown)
        #expect(await !connection.isOpen)
        let after = try await clientError { try await connection.pipeline([Self.one]) }
        #expect(after.code == .connectionLost)
        #expect(!after.isOutcomeUnknown)
        let end = PostgresStatement(
            "end", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'")
        try await ClientTestDatabase.connected { _ = try $0.query(end) }
    }

    @Test("Each step may take the statement timeout")
    func timeoutPerStep() async throws {
        let nap = PostgresPipelineStep(PostgresStatement("nap", "SELECT pg_sleep(0.1)::text"))
        try await ClientTestDatabase.connected({
            $0.statementTimeout = .seconds(1)
            $0.answerGrace = .milliseconds(1)
        }) { connection in
            // Only the client's deadline counts here: a busy machine may delay a single nap.
            try connection.query(Self.noServerTimeout)
            #expect(try connection.pipeline(Array(repeating: nap, count: 20)).count == 20)
        }
    }

    @Test("Large parameters and large results do not block each other")
    func largeData() async throws {
        let size: Int32 = 32_000_000
        let large = PostgresPipelineStep(
            PostgresStatement("large", "SELECT repeat('x', \(size / 1000)) FROM generate_series(1, 1000)"))
        var bindings = PostgresBindings()
        bindings.append(String(repeating: "y", count: Int(size)))
        let length = PostgresPipelineStep(PostgresStatement("length", "SELECT length($1::text), $1"), bindings)
        try await ClientTestDatabase.connected { connection in
            let results = try connection.pipeline([large, length, large, length])
            #expect(results.map(\.count) == [1000, 1, 1000, 1])
            #expect(try results[3][0].decode(Int32.self, at: 0) == size)
            #expect(try results[3][0].decode(String.self, at: 1).utf8.count == Int(size))
        }
    }

    @Test("Too many bytes in total are refused before they are sent")
    func tooManyBytes() async throws {
        var bindings = PostgresBindings()
        bindings.append(bytea: [UInt8](repeating: 0, count: 64 << 20))
        let step = PostgresPipelineStep(PostgresStatement("large", "SELECT length($1)"), bindings)
        let steps = Array(repeating: step, count: 17)
        try await ClientTestDatabase.connected { connection in
            let error = #expect(throws: PostgresError.self) { try connection.pipeline(steps) }
            #expect(error?.code == .tooManyParameters)
            let after = try connection.pipeline([Self.one])
            #expect(after.count == 1)
        }
    }

    @Test("COPY is refused, and the outcome is unknown")
    func copy() async throws {
        let table = try await makeTable()
        for copy in ["COPY \(table) TO STDOUT", "COPY \(table) FROM STDIN"] {
            let step = PostgresPipelineStep(PostgresStatement("copy", copy))
            let steps = [Self.one, step, Self.one]
            try await ClientTestDatabase.connected { connection in
                let error = #expect(throws: PostgresError.self) { try connection.pipeline(steps) }
                #expect(error?.code == .copyRefused)
                #expect(error?.statement == "copy")
                #expect(error?.isOutcomeUnknown == true)
                let isOpen = connection.isOpen
                #expect(!isOpen)
            }
        }
    }

    @Test("Steps that a migration made unusable are prepared again")
    func preparedAgain() async throws {
        let table = ClientTestDatabase.tableName()
        let all = PostgresPipelineStep(PostgresStatement("all", "SELECT * FROM \(table)"))
        let also = PostgresPipelineStep(PostgresStatement("also", "SELECT * FROM \(table) ORDER BY a"))
        let add = PostgresPipelineStep(PostgresStatement("add", "INSERT INTO \(table) (a) VALUES (1)"))
        let steps = [add, all, Self.one, also, all]
        let prepared = PostgresStatement(
            "prepared", "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%\(table)%'")
        try await ClientTestDatabase.connected { connection in
            try connection.execute(script: "CREATE TABLE \(table) (a int4)")
            #expect(try connection.pipeline(steps).map(\.columnNames) == [[], ["a"], ["int8"], ["a"], ["a"]])
            try connection.execute(script: "ALTER TABLE \(table) ADD b int4")
            #expect(try connection.pipeline(steps)[3].columnNames == ["a", "b"])
            try connection.execute(script: "DEALLOCATE ALL")
            #expect(try connection.pipeline(steps).last?.count == 3)
            try connection.execute(script: "ALTER TABLE \(table) ADD c int4")
            for step in [all, also] {
                #expect(throws: PostgresError.self) {
                    try connection.transaction("old plan") { _ = try $0.pipeline([step]) }
                }
            }
            let columns = try connection.transaction("new plan") { try $0.pipeline(steps)[3].columnNames }
            #expect(columns == ["a", "b", "c"])
            #expect(try connection.query(prepared)[0].decode(Int64.self, at: 0) >= 3)
        }
    }

    @Test("If the error comes again, the steps do not run a third time")
    func repeatedError() async throws {
        let table = try await makeTable()
        let steps = [
            insert(table, 1),
            PostgresPipelineStep(PostgresStatement("raise", "SELECT \(table)_f()")),
        ]
        let runs = PostgresStatement("runs", "SELECT last_value FROM \(table)_s")
        try await ClientTestDatabase.connected { connection in
            try connection.execute(
                script: """
                    CREATE SEQUENCE \(table)_s;
                    CREATE FUNCTION \(table)_f() RETURNS void LANGUAGE plpgsql AS $$
                        BEGIN PERFORM nextval('\(table)_s'); RAISE 'no' USING ERRCODE = '0A000'; END $$;
                    """)
            let error = #expect(throws: PostgresError.self) { try connection.pipeline(steps) }
            #expect(error?.sqlState == .featureNotSupported)
            #expect(error?.statement == "raise")
            #expect(try connection.query(runs)[0].decode(Int64.self, at: 0) == 2)
            #expect(try connection.pipeline([Self.one]).count == 1)
        }
        #expect(try await numbers(table).isEmpty)
    }
}
