package import DatabaseSchema
import Foundation
package import Logging
package import PostbackStore
package import PostgresClient
import Testing

/// A database of one test's own, on the throw-away cluster; gone when the test ends.
package struct TestDatabase: Sendable {
    /// Its URL.
    package let url: String
    /// The session of the test's questions; nil if each has one of its own.
    private var session: TestSession?
    /// Whether stores have the role of the URL; if not, they have the serving role.
    private let hasRole: Bool

    /// The database of the trait `.database`; without it, one that does not exist.
    @TaskLocal package static var current = TestDatabase(url: "postgresql:///needs_the_trait_database?host=/none")

    /// A database that is there, whose questions have a session each.
    package init(url: String, hasRole: Bool = false) {
        self.url = url
        self.hasRole = hasRole
    }

    /// Whether `with` makes databases that are distributed over the Citus cluster; see `EachDatabase`.
    @TaskLocal package static var isDistributed = false

    /// Whether `with` waits until few other databases are in use; see `WithoutWaiting`.
    @TaskLocal static var waits = true

    /// A cluster takes two hundred connections, and each database may use a dozen of them.
    private static let turnstile = Turnstile(5)

    /// Runs a body when few other databases are in use.
    private static func inTurn<T>(_ body: () async throws -> T) async throws -> T {
        try await waits ? turnstile.run(body) : body()
    }

    /// The roles on the throw-away PostgreSQL, made once.
    private static let roles = Task {
        if let url = TestEnvironment.databaseURL { try await TestDatabase(url: url).makeRoles() }
    }

    /// Makes a database, migrates it unless told otherwise, runs a body, and drops it.
    package static func with<T>(
        migrated: Bool = true, lanes: Int? = nil, on cluster: String? = nil, _ body: (TestDatabase) async throws -> T
    ) async throws -> T {
        let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        if isDistributed, cluster == nil {
            return try await withDistributed(name, migrated: migrated, lanes: lanes, body)
        }
        let administration = TestDatabase(url: try #require(cluster ?? TestEnvironment.databaseURL))
        let database = try administration.named(name)
        return try await inTurn {
            let result: Result<T, any Error>
            do {
                if migrated, cluster == nil {
                    let template = try await DatabaseTemplates.plain.name(lanes: lanes)
                    try await administration.run("CREATE DATABASE \(name) TEMPLATE \(template) OWNER \(ownerName)")
                } else {
                    try await roles.value
                    if cluster != nil { try await administration.makeRoles() }
                    try await administration.run("CREATE DATABASE \(name) OWNER \(ownerName)")
                    if migrated { try await database.prepare(lanes: lanes) }
                }
                result = .success(try await database.withSession(body))
            } catch {
                result = .failure(error)
            }
            // A cluster that a test has killed has nothing to drop.
            try? await administration.run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
            return try result.get()
        }
    }

    /// Makes a database for `DatabaseTemplates`.
    static func makeTemplate(_ name: String, lanes: Int?) async throws {
        let administration = TestDatabase(url: try #require(TestEnvironment.databaseURL))
        try await roles.value
        try await administration.run("CREATE DATABASE \(name) OWNER \(ownerName)")
        try await administration.named(name).prepare(lanes: lanes)
        try await administration.run("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
    }

    /// Migrates it as its owner, and gives the serving role its rights.
    package func prepare(lanes: Int? = nil, timeZone: String? = nil) async throws {
        try await owner.migrate(lanes: lanes, timeZone: timeZone)
        try await grantRights()
        try await grantWhatTestsMake()
    }

    /// The database with this name on the same cluster.
    private func named(_ name: String) throws -> TestDatabase {
        var components = try #require(URLComponents(string: url))
        components.path = "/" + name
        return TestDatabase(url: try #require(components.string))
    }

    /// The same on the Citus cluster.
    private static func withDistributed<T>(
        _ name: String, migrated: Bool, lanes: Int?, _ body: (TestDatabase) async throws -> T
    ) async throws -> T {
        try await inTurn {
            let result: Result<T, any Error>
            do {
                let url =
                    migrated
                    ? try await CitusCluster.makeDistributedDatabase(name, lanes: lanes)
                    : try await CitusCluster.makeDatabase(name)
                result = .success(try await TestDatabase(url: url).withSession(body))
            } catch {
                result = .failure(error)
            }
            await CitusCluster.dropDatabase(name)
            return try result.get()
        }
    }

    /// The same database on other clusters, such as a standby of its own one; a session takes the first that answers.
    package func copy(on clusters: String...) throws -> TestDatabase {
        var components = try #require(URLComponents(string: clusters[0]))
        components.path = try #require(URLComponents(string: url)).path
        let hosts = clusters.compactMap { cluster in
            URLComponents(string: cluster)?.queryItems?.first { $0.name == "host" }?.value
        }
        try #require(hosts.count == clusters.count)
        components.queryItems = components.queryItems?.map {
            $0.name == "host" ? URLQueryItem(name: "host", value: hosts.joined(separator: ",")) : $0
        }
        return TestDatabase(url: try #require(components.string), hasRole: hasRole)
    }

    /// Applies the migrations and the definitions, as the role of the URL.
    @discardableResult
    package func migrate(
        lanes: Int? = nil, timeZone: String? = nil, definitions: Definitions = .all
    ) async throws -> [String] {
        try await withPool(size: 1) { pool in
            try await PostbackStore.migrate(lanes: lanes, timeZone: timeZone, definitions: definitions, over: pool)
        }
    }

    /// Where this database is; patient, so that a busy machine fails no test.
    package var configuration: PostgresConfiguration {
        var configuration = PostgresConfiguration(connectionString: url)
        configuration.connectTimeout = .seconds(600)
        configuration.statementTimeout = .seconds(300)
        configuration.lockTimeout = .seconds(60)
        configuration.idleInTransactionTimeout = .seconds(60)
        return configuration
    }

    /// A pool over this database; who makes it closes it.
    package func pool(size: Int = 4) -> PostgresPool {
        PostgresPool(configuration: configuration, size: size, leaseTimeout: .seconds(600), logger: .silent)
    }

    /// A pool for batches over this database, configured as in the service; who makes it closes it.
    package func writerPool(size: Int = 4) -> PostgresPool {
        PostgresPool(
            configuration: PostbackStore.writerConfiguration(configuration), size: size, leaseTimeout: .seconds(600),
            logger: .silent)
    }

    /// A store over connections of its own, as the service has them and with its role; they are closed when the test ends.
    ///
    /// - Parameters:
    ///   - size: The greatest number of connections for everything but batches; of those for batches there are as many at
    ///     most, to each node.
    ///   - workers: The addresses of workers of a cluster that are others than the nodes know; nil if batches go through
    ///     the coordinator.
    package func store(
        size: Int = 4, workers: WorkerAddresses? = .init(), policy: ConversionPolicy = .monotonic,
        quarantineLimits: QuarantineLimits = .init(),
        clock: @escaping @Sendable () -> PostgresTimestamp = PostbackStore.now
    ) throws -> PostbackStore {
        let (store, close) = makeStore(
            size: size, workers: workers, policy: policy, quarantineLimits: quarantineLimits, clock: clock)
        try Teardown.add(close)
        return store
    }

    /// Lends such a store to a body, and closes its connections after that.
    package func withStore<T>(
        size: Int = 4, workers: WorkerAddresses? = .init(), policy: ConversionPolicy = .monotonic,
        quarantineLimits: QuarantineLimits = .init(),
        clock: @escaping @Sendable () -> PostgresTimestamp = PostbackStore.now,
        _ body: (PostbackStore) async throws -> T
    ) async throws -> T {
        let (store, close) = makeStore(
            size: size, workers: workers, policy: policy, quarantineLimits: quarantineLimits, clock: clock)
        do {
            let value = try await body(store)
            await close()
            return value
        } catch {
            await close()
            throw error
        }
    }

    private func makeStore(
        size: Int, workers: WorkerAddresses?, policy: ConversionPolicy, quarantineLimits: QuarantineLimits,
        clock: @escaping @Sendable () -> PostgresTimestamp
    ) -> (PostbackStore, close: @Sendable () async -> Void) {
        let database = hasRole ? self : serving
        let (pool, writers) = (database.pool(size: size), database.writerPool(size: size))
        let cluster = workers.map { addresses in
            ClusterConnections(
                coordinator: pool, database.configuration, addresses: addresses, size: size,
                leaseTimeout: .seconds(600),
                logger: .silent)
        }
        let store = PostbackStore(
            pool: pool, writers: writers, cluster: cluster, policy: policy, quarantineLimits: quarantineLimits,
            clock: clock)
        return (
            store,
            {
                await cluster?.close()
                await writers.close()
                await pool.close()
            }
        )
    }

    /// A pool over this database, which is closed when the test ends.
    package func openPool(size: Int = 4) throws -> PostgresPool {
        let pool = pool(size: size)
        try Teardown.add { await pool.close() }
        return pool
    }

    /// Lends a pool to a body and closes it.
    package func withPool<T>(size: Int = 4, _ body: (PostgresPool) async throws -> T) async throws -> T {
        try await closing(pool(size: size), body)
    }

    private func closing<T>(_ pool: PostgresPool, _ body: (PostgresPool) async throws -> T) async throws -> T {
        do {
            let value = try await body(pool)
            await pool.close()
            return value
        } catch {
            await pool.close()
            throw error
        }
    }

    /// Lends this database, with one session for its questions, to a body.
    private func withSession<T>(_ body: (TestDatabase) async throws -> T) async throws -> T {
        let session = TestSession(configuration)
        var database = self
        database.session = session
        do {
            let value = try await Teardown.scope { try await body(database) }
            await session.close()
            return value
        } catch {
            await session.close()
            throw error
        }
    }

    /// Runs a body on the thread of a session of the test's own.
    private func ask<T: Sendable>(_ body: @Sendable (isolated PostgresConnection) throws -> T) async throws -> T {
        if let session { return try await session.ask(body) }
        return try await TestSession.askOnce(configuration, body)
    }

    /// Closes the session, so that the next question has one with the present settings of the database.
    package func closeSession() async {
        await session?.close()
    }

    /// Runs statements without results.
    package func run(_ script: String) async throws {
        try await ask { try $0.execute(script: script) }
    }

    /// The single column of a query, as text.
    package func column(_ sql: String) async throws -> [String?] {
        try await ask { connection in
            try connection.query(PostgresStatement("test", "SELECT (t.value)::text FROM (\(sql)) AS t(value)"))
                .map { try $0.decode(String?.self, at: 0) }
        }
    }

    /// The single value of a query, as text.
    package func value(_ sql: String) async throws -> String? {
        try await column(sql).first ?? nil
    }

    /// The rows of counts that differ from the postbacks, by the view `recount`.
    package func recount() async throws -> [String] { try await recount(ofAnswers: false) }

    /// The sums of answers that differ from the postbacks, by the view `recount`.
    package func recountAnswers() async throws -> [String] { try await recount(ofAnswers: true) }

    private func recount(ofAnswers: Bool) async throws -> [String] {
        try await column(
            """
            SELECT r
              FROM (SELECT table_name, key, stored, recounted
                      FROM attribution.recount
                     WHERE (table_name LIKE 'answer%') = \(ofAnswers)
                     ORDER BY table_name, key) AS r
            """
        ).compactMap { $0 }
    }
}

extension TestDatabase {
    /// What `tools/recount-log.sql` returns: lane, problem, number of postbacks, and the transaction id of one.
    package func logProblems() async throws -> [String] {
        let statement = try TestEnvironment.statement("tools/recount-log.sql")
        return try await column(
            "SELECT concat_ws(' ', lane, problem, postbacks, example) FROM (\(statement)\n) AS found"
        ).compactMap { $0 }
    }
}

extension Logger {
    /// A logger that says nothing.
    package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}
