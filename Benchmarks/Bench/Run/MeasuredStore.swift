import Logging
import PostgresClient

/// A store that is measured: a database of the cluster, and the programs that belong to it.
struct MeasuredStore: Sendable {
    /// The folder of the programs.
    let programs: String
    let url: String
    /// The first processes of the clusters that it is on.
    let postmasters: [Int32]

    /// Runs statements that are constants of this program.
    func run(_ script: String) async throws {
        try await withConnection { try $0.execute(script: script) }
    }

    /// The rows of a query with one column, which is a text.
    func column(_ query: String) async throws -> [String] {
        try await withConnection { connection in
            try connection.query(PostgresStatement("bench", query)).map { try $0.decode(String.self, at: 0) }
        }
    }

    /// The number that a query returns.
    func number(_ query: String) async throws -> Double {
        guard let number = try await column("SELECT (\(query))::text").first.flatMap({ Double($0) }) else {
            throw BenchError("the database returned no number")
        }
        return number
    }

    /// Removes everything but the quarantine with its count, the lanes and the list of migrations.
    func empty() async throws {
        try await run(
            """
            DO $$ BEGIN
                EXECUTE (
                    SELECT 'TRUNCATE ' || string_agg(oid::regclass::text, ', ') FROM pg_class
                     WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'r'
                       AND relname NOT IN ('schema_migration', 'schema_definitions', 'lane', 'lane_day', 'log_reader',
                                           'plain_view', 'store_lane')
                       AND relname NOT LIKE 'rejected_postback%');
            END $$
            """)
        if try await hasState() {
            try await run(
                """
                DO $$ BEGIN
                    -- In older baselines a postback without a source has a row.
                    IF EXISTS (SELECT FROM pg_attribute
                                WHERE attrelid = 'attribution.source'::regclass AND attname = 'source_app_id') THEN
                        INSERT INTO attribution.source (source) VALUES (0);
                    END IF;
                END $$;
                DELETE FROM attribution.log_reader WHERE reader LIKE 'forward.%';
                UPDATE attribution.log_reader SET position = 0, ordinal = 0;
                """)
        }
        try await settle()
    }

    /// Each sample begins with nothing to write back.
    func settle() async throws {
        try await withConnection { try $0.run(PostgresStatement("bench_checkpoint", "CHECKPOINT")) }
    }

    /// How many postbacks it holds.
    func count() async throws -> Double {
        try await number("SELECT count(*) FROM attribution.\(hasState() ? "postback_state" : "postback")")
    }

    /// Whether the schema is the one of today; the oldest baselines have `postback` as a table.
    private func hasState() async throws -> Bool {
        try await number("(to_regclass('attribution.postback_state') IS NOT NULL)::integer") == 1
    }

    /// Lends a connection of its own to a body.
    func withConnection<Value: Sendable>(
        _ body: @escaping @Sendable (isolated PostgresConnection) throws -> Value
    ) async throws -> Value {
        let connection = try await connect()
        do {
            let value = try await body(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }

    /// A connection that waits as long as a measurement takes.
    func connect() async throws -> PostgresConnection {
        var configuration = PostgresConfiguration(connectionString: url)
        configuration.applicationName = "bench"
        configuration.statementTimeout = .seconds(7_200)
        configuration.idleInTransactionTimeout = .seconds(86_400)
        return try await PostgresConnection.connect(configuration, logger: Logger(label: "bench"))
    }
}
