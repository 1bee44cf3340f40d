import Testing

@testable import PostgresClient

@Suite("What PostgreSQL says of an error")
struct ServerMessageTests {
    /// The error of a statement with one text.
    private func error(_ sql: String, _ value: String? = nil) async throws -> PostgresError {
        var bindings = PostgresBindings()
        if let value { bindings.append(value) }
        let parameters = bindings
        return try await clientError {
            try await ClientTestDatabase.connected { try $0.query(PostgresStatement("test", sql), parameters).count }
        }
    }

    @Test(
        "Causes are passed on: names of files, objects and settings, with the function that failed",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func causes() async throws {
        let library = try await clientError {
            try await ClientTestDatabase.connected { try $0.execute(script: "LOAD '/nowhere/library'") }
        }
        #expect(library.sqlState?.code == "58P01")
        #expect(library.message?.contains("/nowhere/library") == true)
        #expect("\(library)".contains("message: could not access file \"/nowhere/library\""))
        let table = try await error("SELECT FROM no_such_table")
        #expect(table.message == "relation \"no_such_table\" does not exist")
        let function = try await error("SELECT no_such_function($1::text)", "secret-value")
        #expect(function.message?.contains("no_such_function") == true)
        #expect(function.message?.contains("; hint: ") == true)
        let name = ClientTestDatabase.tableName()
        let nested = try await clientError {
            try await ClientTestDatabase.connected { connection in
                try connection.execute(
                    script: """
                        CREATE FUNCTION \(name)() RETURNS void LANGUAGE plpgsql AS
                            $$ BEGIN PERFORM FROM no_such_table WHERE a = 'secret-value'; END $$
                        """)
                return try connection.query(PostgresStatement("nested", "SELECT \(name)()::text"))
            }
        }
        #expect(nested.message?.contains("; in: PL/pgSQL function \(name)() line 1") == true)
        #expect(nested.message?.contains("secret-value") == false)
    }

    @Test(
        "Values of rows are not",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason),
        arguments: [
            ("SELECT $1::text::integer", "22P02"), ("SELECT $1::text::jsonb::text", "22P02"),
            ("SELECT to_date($1::text, 'YYYY')::text", "22007"),
        ])
    func values(sql: String, state: String) async throws {
        let error = try await error(sql, "secret-value")
        #expect(error.sqlState?.code == state)
        #expect(error.message?.hasPrefix("withheld") == true)
        #expect(!String(reflecting: error).contains("secr"))
    }

    @Test(
        "Nor are texts of functions, and keys of constraints",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func functions() async throws {
        let name = ClientTestDatabase.tableName()
        let raised = try await clientError {
            try await ClientTestDatabase.connected {
                try $0.execute(script: "DO $$ BEGIN RAISE EXCEPTION 'secret-value'; END $$")
            }
        }
        #expect(raised.sqlState?.code == "P0001" && raised.message?.hasPrefix("withheld") == true)
        let key = try await clientError {
            try await ClientTestDatabase.connected {
                try $0.execute(
                    script: """
                        CREATE TABLE \(name) (k text CONSTRAINT \(name)_key PRIMARY KEY);
                        INSERT INTO \(name) VALUES ('secret-value'), ('secret-value')
                        """)
            }
        }
        #expect(key.message == "duplicate key value violates unique constraint \"\(name)_key\"")
        #expect(key.line == 2)
        for error in [raised, key] { #expect(!String(reflecting: error).contains("secret-value")) }
    }

    @Test(
        "The error of a script names the line of its statement, or that of the mistake",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func lines() async throws {
        let before = """
            SELECT 1; -- one; two
            /* three; /* four; */ */ SELECT ';', 'it''s;', $$;$$, $a$;$$;$a$ AS ";";

            """
        let failing = try await clientError {
            try await ClientTestDatabase.connected {
                try $0.execute(script: before + "\n-- a comment\n  LOAD\n 'nowhere';", named: "a.sql")
            }
        }
        #expect(failing.statement == "a.sql" && failing.line == 5)
        let mistaken = try await clientError {
            try await ClientTestDatabase.connected {
                try $0.execute(script: before + "SELECT\n 1,\n no_such_column;\nSELECT 2")
            }
        }
        #expect(mistaken.line == 5)
        #expect(ScriptStatements("SELECT $1; a$b$;c$b$").lines == [1, 1, 1])
        #expect(ScriptStatements("-- nothing\n").lines == [])
    }

    @Test("A failure to connect names the host and the cause, and no password")
    func attempts() async throws {
        let configuration = PostgresConfiguration(connectionString: "host=127.0.0.1 port=1 user=u password=hunter2")
        let refused = try await clientError {
            try await PostgresConnection.connect(configuration, logger: .silent)
        }
        #expect(refused.message == "connection to server at \"127.0.0.1\", port 1 failed: Connection refused")
        let text = """
            connection to server at "a", port 5432 failed: Connection refused
            \tIs the server running on that host and accepting TCP/IP connections?
            connection to server at "b", port 5432 failed: FATAL:  28P01: password authentication failed for user "u"
            LOCATION:  auth_failed, auth.c:326
            """
        #expect(
            ServerMessage.ofAttempt(text, secrets: ["hunter2", ""])
                == "connection to server at \"a\", port 5432 failed: Connection refused; connection to server at \"b\", "
                + "port 5432 failed: FATAL:  28P01: password authentication failed for user \"u\"")
        #expect(ServerMessage.ofAttempt("could not translate host name \"hunter2\"", secrets: ["hunter2"]) == nil)
        // postgresql://u:hunter@2@example/: libpq ends the password at the first @.
        #expect(ServerMessage.ofAttempt("could not translate host name \"2@example\"", secrets: ["hunter"]) == nil)
    }

    @Test("A key in a connection string where the name of its file belongs is not shown; the name of a file is")
    func misplacedKey() {
        let message = "certificate present, but not private key file \"hunter2\""
        #expect(
            ServerMessage.withoutMissingFiles(message, [("sslmode", "require"), ("sslkey", "hunter2")])
                == "certificate present, but not private key file \"…\"")
        let file = "private key file \"/etc/passwd\" has group or world access"
        #expect(ServerMessage.withoutMissingFiles(file, [("sslkey", "/etc/passwd"), ("passfile", "")]) == file)
    }

    @Test(
        "A connection that the server ends says why",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func ended() async throws {
        let error = try await error("SELECT pg_terminate_backend(pg_backend_pid())")
        #expect(error.code == .connectionLost)
        #expect(error.message == "terminating connection due to administrator command")
    }
}
