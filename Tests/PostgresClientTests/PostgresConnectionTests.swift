import PostgresClient
import Testing

@Suite("Connections", .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
struct PostgresConnectionTests {
    private static let one = PostgresStatement("one", "SELECT 1::int8 AS one, current_setting('TimeZone') AS zone")

    @Test("Errors have state, constraint and statement name, and no values")
    func errors() async throws {
        let table = ClientTestDatabase.tableName()
        let error = try await clientError {
            try await ClientTestDatabase.connected { connection in
                try connection.execute(script: "CREATE TABLE \(table) (k text CONSTRAINT \(table)_key PRIMARY KEY)")
                var bindings = PostgresBindings()
                bindings.append("secret-row-value")
                let insert = PostgresStatement("insert one", "INSERT INTO \(table) VALUES ($1)")
                #expect(try connection.query(insert, bindings).affectedRows == 1)
                return try connection.query(insert, bindings)
            }
        }
        #expect(error.code == .server)
        #expect(error.sqlState == .uniqueViolation)
        #expect(error.constraint == "\(table)_key")
        #expect(error.statement == "insert one")
        #expect(!error.isOutcomeUnknown)
        #expect(!"\(error) \(String(reflecting: error))".contains("secret-row-value"))
    }

    @Test("Results have columns and rows")
    func results() async throws {
        let result = try await ClientTestDatabase.connected { try $0.query(Self.one) }
        #expect(result.columnNames == ["one", "zone"])
        #expect(result.count == 1)
        #expect(try result.first?.decode(Int64.self, at: "one") == 1)
        #expect(try result.first?.decode(String.self, at: "zone") == "UTC")
    }

    @Test("Session settings override the connection string")
    func settings() async throws {
        let url = try #require(ClientTestDatabase.url)
        let separator = url.contains("?") ? "&" : "?"
        var configuration = PostgresConfiguration(
            connectionString: url + separator
                + "options=-csynchronous_commit%3Doff%20-cstatement_timeout%3D0%20-cwork_mem%3D5MB"
                + "%20-csearch_path%3Dpublic"
        )
        configuration.applicationName = "a name"
        let connection = try await PostgresConnection.connect(configuration, logger: .silent)
        let settings = PostgresStatement(
            "settings",
            """
            SELECT current_setting(n) FROM unnest(ARRAY['synchronous_commit', 'TimeZone', 'statement_timeout', \
            'lock_timeout', 'work_mem', 'application_name', 'client_encoding', 'search_path']) n
            """
        )
        let values = try await connection.query(settings).map { row in try row.decode(String.self, at: 0) }
        #expect(values == ["on", "UTC", "10s", "5s", "5MB", "a name", "UTF8", "pg_catalog,pg_temp"])
        await connection.close()
    }

    @Test("Statements are prepared once and have their name")
    func prepared() async throws {
        let prepared = PostgresStatement(
            "prepared", "SELECT statement FROM pg_prepared_statements WHERE statement LIKE '-- one%'"
        )
        let running = PostgresStatement("running", "SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid()")
        try await ClientTestDatabase.connected { connection in
            for _ in 0..<3 { try connection.query(Self.one) }
            let texts = try connection.query(prepared).map { row in try row.decode(String.self, at: 0) }
            #expect(texts == ["-- one\n\(Self.one.sql)"])
            #expect(try connection.query(running)[0].decode(String.self, at: 0).hasPrefix("-- running\n"))
        }
    }

    @Test("The same text with other types is prepared separately")
    func types() async throws {
        let statement = PostgresStatement("typed", "SELECT pg_typeof($1)::text")
        try await ClientTestDatabase.connected { connection in
            for (type, append) in [
                ("integer", { $0.append(Int32(1)) }), ("bigint", { $0.append(Int64(1)) }), ("text", { $0.append("") }),
            ] as [(String, (inout PostgresBindings) -> Void)] {
                var bindings = PostgresBindings()
                append(&bindings)
                let answer: String = try connection.query(statement, bindings)[0].decode(at: 0)
                #expect(answer == type)
            }
        }
    }

    @Test("A statement that a migration made unusable is prepared again")
    func preparedAgain() async throws {
        let table = ClientTestDatabase.tableName()
        let select = PostgresStatement("select all", "SELECT * FROM \(table)")
        try await ClientTestDatabase.connected { connection in
            try connection.execute(script: "CREATE TABLE \(table) (a int4); INSERT INTO \(table) VALUES (1)")
            #expect(try connection.query(select).columnNames == ["a"])
            try connection.execute(script: "ALTER TABLE \(table) ADD b int4")
            #expect(try connection.query(select).columnNames == ["a", "b"])
            try connection.execute(script: "ALTER TABLE \(table) ADD c int4")
            #expect(throws: PostgresError.self) { try connection.transaction("old plan") { try $0.query(select) } }
            #expect(try connection.transaction("new plan") { try $0.query(select).columnNames } == ["a", "b", "c"])
            try connection.execute(script: "DEALLOCATE ALL")
            #expect(try connection.query(select).count == 1)
        }
    }

    @Test("COPY and several statements in one text are refused")
    func refused() async throws {
        let copy = try await clientError {
            try await ClientTestDatabase.connected {
                try $0.query(PostgresStatement("copy", "COPY (SELECT 1) TO STDOUT"))
            }
        }
        #expect(copy.code == .copyRefused)
        let script = try await clientError {
            try await ClientTestDatabase.connected {
                try $0.execute(script: "SELECT 1; COPY pg_class TO STDOUT; SELECT 2")
            }
        }
        #expect(script.code == .copyRefused)
        let several = try await clientError {
            try await ClientTestDatabase.connected { try $0.query(PostgresStatement("several", "SELECT 1; SELECT 2")) }
        }
        #expect(several.sqlState?.code == "42601")
    }

    @Test("A script is one transaction and throws its first error")
    func script() async throws {
        let table = ClientTestDatabase.tableName()
        try await ClientTestDatabase.connected { connection in
            #expect(throws: PostgresError.self) {
                try connection.execute(script: "CREATE TABLE \(table) (a int); SELECT 1 / 0; SELECT nonsense")
            }
            let exists = PostgresStatement("exists", "SELECT to_regclass('\(table)') IS NOT NULL")
            #expect(try !connection.query(exists)[0].decode(Bool.self, at: 0))
            try connection.execute(script: "")
            #expect(throws: PostgresError.self) { try connection.execute(script: "SELECT 1;\u{0}") }
        }
    }

    @Test("Large parameters and large results do not block each other")
    func largeData() async throws {
        try await ClientTestDatabase.connected { connection in
            let text = String(repeating: "x", count: 20_000_000)
            var bindings = PostgresBindings()
            bindings.append([text, text])
            let rows = try connection.query(PostgresStatement("large", "SELECT unnest($1::text[])"), bindings)
            #expect(try rows.map { row in try row.decode(String.self, at: 0).utf8.count } == [20_000_000, 20_000_000])
        }
    }

    @Test("A closed connection throws connectionLost")
    func closed() async throws {
        let connection = try await PostgresConnection.connect(ClientTestDatabase.configuration(), logger: .silent)
        await connection.close()
        await connection.close()
        let error = try await clientError { try await connection.query(Self.one) }
        #expect(error.code == .connectionLost)
        #expect(!error.isOutcomeUnknown)
        #expect(await !connection.isOpen)
    }
}
