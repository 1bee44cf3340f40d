import FoundationEssentials
import Glibc
import PostgresClient
import Synchronization
import Testing

/// A socket in a directory of its own stands for the server: it comes and goes as the tests need it.
@Suite("Servers that can't be reached")
struct UnreachableServerTests {
    private static let one = PostgresStatement("one", "SELECT 1::int8")

    private func withDirectory(_ body: (_ directory: String, _ socket: String) async throws -> Void) async throws {
        let directory = "/tmp/pgt-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory, "\(directory)/.s.PGSQL.5432")
    }

    @Test(
        "Failures are fast, and recovery needs no restart",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func recovery() async throws {
        let facts = PostgresStatement(
            "facts",
            """
            SELECT split_part(current_setting('unix_socket_directories'), ',', 1) || '/.s.PGSQL.' \
            || current_setting('port'), current_user::text, current_database()::text
            """
        )
        let row = try await ClientTestDatabase.connected { try $0.query(facts)[0] }
        let (server, user, database) = (
            try row.decode(String.self, at: 0), try row.decode(String.self, at: 1), try row.decode(String.self, at: 2)
        )
        try await withDirectory { directory, socket in
            let log = LogRecorder()
            let pool = PostgresPool(
                configuration: PostgresConfiguration(
                    connectionString: "host=\(directory) port=5432 user=\(user) dbname=\(database) password=hunter2"
                ),
                size: 4,
                leaseTimeout: .seconds(600),
                logger: log.logger
            )
            // With this lease timeout, a caller that waited instead of failing would hang the test.
            for _ in 0..<200 {
                let error = try await clientError { try await pool.withConnection { try $0.query(Self.one) } }
                #expect(error.code == .connectFailed)
                #expect(error.reason == "no server at the socket")
            }
            let attempts = log.lines.withLock { lines in lines.count { $0.contains("database connection failed") } }
            #expect((1..<200).contains(attempts))
            #expect(symlink(server, socket) == 0)
            #expect(try await eventually { (try? await pool.withConnection { try $0.query(Self.one).count }) == 1 })
            let lines = log.lines.withLock { $0 }
            #expect(lines.contains { $0.contains("database is back") })
            #expect(!lines.contains { $0.contains("hunter2") })
            #expect(lines.contains { $0.contains("\(directory)/.s.PGSQL.5432") })
            await pool.close()
        }
    }

    /// Runs a body with the directory of a server that accepts connections and never answers.
    private func withSilentServer(_ body: (_ directory: String) async throws -> Void) async throws {
        try await withDirectory { directory, path in
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
            }
            #expect(status == 0 && listen(listener, 8) == 0)
            try await body(directory)
        }
    }

    @Test("A server that does not answer is given up")
    func noAnswer() async throws {
        try await withSilentServer { directory in
            var configuration = PostgresConfiguration(connectionString: "host=\(directory) port=5432 user=u dbname=d")
            configuration.connectTimeout = .milliseconds(200)
            let error = try await clientError { try await PostgresConnection.connect(configuration, logger: .silent) }
            #expect(error.code == .connectFailed)
            #expect(error.reason == "timed out")
            #expect(error.isUnavailable)
        }
    }

    @Test(
        "A host that does not answer leaves time for the next one",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func nextHost() async throws {
        let place = PostgresStatement(
            "place", "SELECT split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port')")
        let row = try await ClientTestDatabase.connected { try $0.query(place)[0] }
        let (server, port) = (try row.decode(String.self, at: 0), try row.decode(String.self, at: 1))
        let given = try #require(ClientTestDatabase.url)
        try await withSilentServer { directory in
            let separator = given.contains("?") ? "&" : "?"
            let hosts = "host=\(directory),\(server)&port=5432,\(port)"
            var configuration = PostgresConfiguration(connectionString: given + separator + hosts)
            configuration.connectTimeout = .seconds(2)
            let connection = try await PostgresConnection.connect(configuration, logger: .silent)
            let rows = try await ClientTestDatabase.run(connection) { try $0.query(Self.one).count }
            #expect(rows == 1)
            await connection.close()
        }
    }

    @Test(
        "Refusals by the server have their SQLSTATE",
        .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func refusals() async throws {
        var configuration = try ClientTestDatabase.configuration()
        configuration.sessionSettings.append((name: "no_such_setting", value: "hunter2"))
        let error = try await clientError { try await PostgresConnection.connect(configuration, logger: .silent) }
        #expect(error.code == .connectFailed)
        #expect(error.sqlState?.code == "42704")
        #expect(error.message?.contains("\"no_such_setting\"") == true)
        #expect(!"\(error)".contains("hunter2"))
    }

    @Test("Threads end with their connections", .enabled(if: ClientTestDatabase.isAvailable, ClientTestDatabase.reason))
    func threads() async throws {
        for round in 0..<150 {
            let closed = try await PostgresConnection.connect(ClientTestDatabase.configuration(), logger: .silent)
            #expect(try await closed.query(Self.one).count == 1)
            if round % 2 == 0 { await closed.close() }
            // A connection that cannot be made must not leave its thread behind either.
            let nowhere = PostgresConfiguration(connectionString: "host=/nonexistent user=u")
            await #expect(throws: PostgresError.self) {
                try await PostgresConnection.connect(nowhere, logger: .silent)
            }
        }
        // Other tests have some open meanwhile, but nowhere near the 300 of this one.
        #expect(try await eventually { Self.connectionThreads() < 60 })
    }

    private static func connectionThreads() -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            guard let file = fopen("/proc/self/task/\(task)/comm", "r") else { return false }
            defer { fclose(file) }
            var buffer = [CChar](repeating: 0, count: 32)
            guard fgets(&buffer, 32, file) != nil else { return false }
            return buffer.starts(with: "postgres\n".utf8CString.dropLast())
        }
    }
}
