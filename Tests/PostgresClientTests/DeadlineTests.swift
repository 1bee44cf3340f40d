import PostgresClient
import Testing

@Suite("Deadlines of statements", .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
struct DeadlineTests {
    private static let sleep = PostgresStatement("sleep", "SELECT pg_sleep(120)::text")
    private static let one = PostgresStatement("one", "SELECT 1::int8")
    private static let noServerTimeout = PostgresStatement("no timeout", "SET statement_timeout = 0")

    /// Ends the backends that sleep on, since the test took their timeout away.
    private func endSleepers(named name: String) async throws {
        let end = PostgresStatement(
            "end sleepers",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'"
        )
        try await ClientTestDatabase.connected { _ = try $0.query(end) }
    }

    @Test("The server ends a slow statement, and the connection can still be used")
    func slowStatement() async throws {
        let pool = try ClientTestDatabase.pool(size: 1) {
            $0.statementTimeout = .milliseconds(300)
            $0.answerGrace = .seconds(60)
        }
        let error = try await clientError { try await pool.withConnection { try $0.query(Self.sleep) } }
        #expect(error.sqlState == .queryCanceled)
        #expect(error.isDeadline && !error.isOutcomeUnknown)
        #expect(pool.state.idle == 1)
        #expect(try await pool.withConnection { try $0.query(Self.one)[0].decode(Int64.self, at: 0) } == 1)
        await pool.close()
    }

    @Test("A transaction can have a statement timeout of its own, shorter or longer, and only for itself")
    func transactionTimeout() async throws {
        let halfASecond = PostgresStatement("half a second", "SELECT pg_sleep(0.5)::text")
        let pool = try ClientTestDatabase.pool(size: 1) {
            $0.statementTimeout = .milliseconds(300)
            $0.answerGrace = .milliseconds(100)
        }
        _ = try await pool.withTransaction("long", statementTimeout: .seconds(60)) { try $0.query(halfASecond).count }
        let after = try await clientError {
            try await pool.withTransaction("as configured") { try $0.query(halfASecond).count }
        }
        #expect(after.isDeadline)
        await pool.close()
        let patient = try ClientTestDatabase.pool(size: 1)
        let short = try await clientError {
            try await patient.withTransaction("short", statementTimeout: .milliseconds(200)) {
                try $0.query(Self.sleep).count
            }
        }
        #expect(short.sqlState == .queryCanceled)
        #expect(try await patient.withConnection { try $0.query(halfASecond).count } == 1)
        await patient.close()
    }

    @Test("If the server does not answer, only the connection is lost")
    func noAnswer() async throws {
        let name = ClientTestDatabase.tableName()
        let pool = try ClientTestDatabase.pool(size: 1) {
            $0.applicationName = name
            $0.statementTimeout = .milliseconds(500)
            $0.answerGrace = .milliseconds(100)
        }
        let error = try await clientError {
            try await pool.withConnection { connection in
                try connection.query(Self.noServerTimeout)
                return try connection.query(Self.sleep)
            }
        }
        #expect(error.code == .deadlineExceeded)
        #expect(error.statement == "sleep")
        #expect(error.isOutcomeUnknown)
        #expect(pool.state.closed == 1)
        #expect(try await pool.withConnection { try $0.query(Self.one)[0].decode(Int64.self, at: 0) } == 1)
        await pool.close()
        try await endSleepers(named: name)
    }

    @Test("Inside a transaction the outcome is known until the commit")
    func knownOutcome() async throws {
        let table = ClientTestDatabase.tableName()
        try await ClientTestDatabase.connected { connection in
            try connection.execute(
                script: """
                    CREATE TABLE \(table) (a int4);
                    CREATE FUNCTION \(table)_f() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN PERFORM pg_sleep(120); RETURN NULL; END';
                    CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON \(table) DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW EXECUTE FUNCTION \(table)_f();
                    """)
        }
        let pool = try ClientTestDatabase.pool(size: 1) {
            $0.applicationName = table
            $0.statementTimeout = .milliseconds(500)
            $0.answerGrace = .milliseconds(100)
        }
        let atCommit = try await clientError {
            try await pool.withTransaction("slow commit") { connection in
                try connection.query(Self.noServerTimeout)
                try connection.query(PostgresStatement("insert", "INSERT INTO \(table) VALUES (1)"))
            }
        }
        #expect(atCommit.code == .deadlineExceeded)
        #expect(atCommit.statement == "slow commit")
        #expect(atCommit.isOutcomeUnknown)
        let before = try await clientError {
            try await pool.withTransaction("slow statement") { connection in
                try connection.query(Self.noServerTimeout)
                try connection.query(Self.sleep)
            }
        }
        #expect(before.code == .deadlineExceeded)
        #expect(!before.isOutcomeUnknown)
        await pool.close()
        try await endSleepers(named: table)
    }

    @Test("The wait for a lock is bounded")
    func lockTimeout() async throws {
        let table = ClientTestDatabase.tableName()
        let holder = try await PostgresConnection.connect(ClientTestDatabase.configuration(), logger: .silent)
        try await holder.execute(script: "CREATE TABLE \(table) (a int4)")
        try await holder.execute(script: "BEGIN")
        try await holder.execute(script: "LOCK TABLE \(table)")
        let error = try await clientError {
            try await ClientTestDatabase.connected({ $0.lockTimeout = .milliseconds(50) }) {
                try $0.query(PostgresStatement("locked", "SELECT * FROM \(table)"))
            }
        }
        #expect(error.sqlState == .lockNotAvailable)
        await holder.close()
    }
}
