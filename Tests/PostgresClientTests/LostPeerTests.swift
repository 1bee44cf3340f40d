import PostgresClient
import Testing

@Suite("Clients that are gone", .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
struct LostPeerTests {
    private static let noServerTimeout = PostgresStatement("no timeout", "SET statement_timeout = 0")

    @Test("If a client closes its connection while a statement runs, the server ends it and releases its locks")
    func closedDuringStatement() async throws {
        let key = Int64.random(in: 0 ..< .max)
        let hold = PostgresStatement("hold", "SELECT pg_advisory_xact_lock(\(key))::text, pg_sleep(3600)::text")
        let take = PostgresStatement("take", "SELECT pg_try_advisory_xact_lock(\(key))")
        let error = try await clientError {
            try await ClientTestDatabase.connected({
                $0.statementTimeout = .seconds(1)
                $0.answerGrace = .milliseconds(1)
            }) { connection in
                try connection.query(Self.noServerTimeout)
                return try connection.query(hold).count
            }
        }
        #expect(error.code == .deadlineExceeded)
        // Without the check the server would hold the lock for an hour.
        #expect(
            try await eventually {
                try await ClientTestDatabase.connected { try $0.query(take)[0].decode(Bool.self, at: 0) }
            })
    }

    @Test("Both sides of a connection look after the other one, and the connection string may change how often")
    func settings() async throws {
        let show = PostgresStatement("show", "SELECT current_setting('client_connection_check_interval')")
        #expect(try await ClientTestDatabase.connected { try $0.query(show)[0].decode(String.self, at: 0) } == "1s")
        let given = try #require(ClientTestDatabase.url)
        let separator = given.contains("?") ? "&" : "?"
        let other = PostgresConfiguration(
            connectionString: given + separator + "options=-c%20client_connection_check_interval%3D3s")
        let connection = try await PostgresConnection.connect(other, logger: .silent)
        let interval = try await ClientTestDatabase.run(connection) { try $0.query(show)[0].decode(String.self, at: 0) }
        #expect(interval == "3s")
        await connection.close()
    }
}
