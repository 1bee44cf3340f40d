import Foundation
import PostbackStore
import PostgresClient
import Testing

/// The throw-away Citus cluster that `make test` starts if Citus is installed: a coordinator and two workers.
package enum CitusCluster {
    private static let turnstile = Turnstile(1)

    /// The URLs of the nodes that databases are made on, the coordinator's first.
    @TaskLocal static var nodes = TestEnvironment.clusterURLs

    /// The shards of a distributed table.
    private static let shards = 4

    /// Makes and migrates a database of the cluster that is not distributed, runs a body, and drops it.
    package static func withDatabase<T>(lanes: Int? = nil, _ body: (TestDatabase) async throws -> T) async throws -> T {
        try await TestDatabase.$isDistributed.withValue(true) {
            try await TestDatabase.with(migrated: false) { database in
                try await database.prepare(lanes: lanes)
                return try await body(database)
            }
        }
    }

    /// The same for a database that is distributed, with this number of lanes, each in a shard of its own.
    package static func withDistributedDatabase<T>(
        lanes: Int, _ body: (TestDatabase) async throws -> T
    ) async throws -> T {
        try await withDatabase { database in
            try await distribute(database, lanes: lanes)
            return try await body(database)
        }
    }

    /// Distributes a database, with this number of lanes, each in a shard of its own.
    package static func distribute(_ database: TestDatabase, lanes: Int) async throws {
        let result = try await database.owner.withStore { store in
            try await store.distribute(try await store.distributionPlan(lanes: lanes))
        }
        #expect(result.differences == 0)
        await database.closeSession()
    }

    /// A database of the cluster on a worker, 0 or 1: its shards.
    package static func worker(_ number: Int, of database: TestDatabase) throws -> TestDatabase {
        let name = try #require(URLComponents(string: database.url)).path.dropFirst()
        return TestDatabase(url: try url(of: String(name), on: nodes[1 + number]))
    }

    /// The lines of the logs of all nodes about statements of a database that were refused: for a syntax or a name (class
    /// 42), or because they are not supported (0A).
    package static func refusedStatements(in database: TestDatabase) async throws -> [String] {
        let name = try #require(URLComponents(string: database.url)).path.dropFirst()
        var lines: [String] = []
        for url in nodes {
            lines += try await TestDatabase(url: url).column(
                """
                SELECT line
                  FROM regexp_split_to_table(
                       convert_from(pg_read_binary_file(current_setting('data_directory') || '/../log'), 'LATIN1'),
                       E'\\n') AS line
                 WHERE line LIKE '%] \(name) 42%' OR line LIKE '%] \(name) 0A%'
                """
            ).compactMap(\.self)
        }
        return lines
    }

    /// The folder of the socket of a worker, by which the nodes know it; its port is 5432.
    package static func folder(ofWorker number: Int) throws -> String { try folder(of: nodes[1 + number]) }

    private static func folder(of node: String) throws -> String {
        let components = try #require(URLComponents(string: node))
        return try #require(components.queryItems?.first { $0.name == "host" }?.value)
    }

    /// Makes a database with this name on each node, and tells the nodes of each other.
    ///
    /// - Returns: Its URL on the coordinator.
    static func makeDatabase(_ name: String) async throws -> String {
        let nodes = try nodes.map { (url: $0, folder: try folder(of: $0)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes {
                group.addTask {
                    try await TestDatabase(url: node.url).makeRoles()
                    try await TestDatabase(url: node.url).run(
                        "CREATE DATABASE \(name) OWNER \(TestDatabase.ownerName)")
                    try await TestDatabase(url: url(of: name, on: node.url)).run("CREATE EXTENSION citus")
                }
            }
            try await group.waitForAll()
        }
        let coordinator = try url(of: name, on: nodes[0].url)
        let workers = nodes.dropFirst().map { "SELECT citus_add_node('\($0.folder)', 5432);" }
        try await writingRoles {
            try await TestDatabase(url: coordinator).run(
                "SELECT citus_set_coordinator_host('\(nodes[0].folder)', 5432);\(workers.joined())")
        }
        // Citus must know the roles before they own anything.
        try await TestDatabase(url: coordinator).grantRights()
        try await numberOperations(of: coordinator)
        return coordinator
    }

    /// Runs what writes roles: one database of the cluster at a time.
    ///
    /// All databases share the roles, and Citus writes them on each node in turn. It finds no deadlock between
    /// transactions of two databases.
    static func writingRoles(_ body: () async throws -> Void) async throws {
        try await turnstile.run(body)
    }

    /// Whether a database is on one of the nodes.
    static func has(_ database: TestDatabase) -> Bool {
        guard let folder = try? folder(of: database.url) else { return false }
        return nodes.contains { (try? self.folder(of: $0)) == folder }
    }

    /// Drops a database from all nodes.
    static func dropDatabase(_ name: String) async {
        await withTaskGroup(of: Void.self) { group in
            for url in nodes {
                group.addTask { try? await TestDatabase(url: url).run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }
            }
        }
    }

    /// Makes a database that is migrated and distributed, with this number of lanes.
    ///
    /// It is a copy of one that is made once, since distributing takes seconds.
    ///
    /// - Returns: Its URL on the coordinator.
    static func makeDistributedDatabase(_ name: String, lanes: Int?) async throws -> String {
        let template = try await DatabaseTemplates.distributed.name(lanes: lanes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for url in TestEnvironment.clusterURLs {
                group.addTask { try await copy(template, to: name, on: TestDatabase(url: url)) }
            }
            try await group.waitForAll()
        }
        // What a database has of its own is not copied.
        try await TestDatabase(url: TestEnvironment.clusterURLs[0])
            .run("ALTER DATABASE \(name) SET citus.local_table_join_policy = 'prefer-distributed'")
        let coordinator = try url(of: name, on: TestEnvironment.clusterURLs[0])
        try await numberOperations(of: coordinator)
        return coordinator
    }

    /// Gives the operations of a database numbers that no other database has.
    ///
    /// Each database counts its moves and splits from 1. The number is in the name of the replication slot, and all
    /// databases of a node share these names. So two databases that move a shard at once could take the same name.
    private static func numberOperations(of coordinator: String) async throws {
        try await TestDatabase(url: coordinator).run(
            """
            SELECT setval('pg_catalog.pg_dist_operationid_seq', oid::bigint * 100000)
              FROM pg_database
             WHERE datname = current_database()
            """)
    }

    /// Makes a database for `DatabaseTemplates`.
    static func makeTemplate(_ name: String, lanes: Int?) async throws {
        let database = TestDatabase(url: try await makeDatabase(name))
        try await database.prepare(lanes: lanes)
        try await database.owner.run("SELECT attribution.distribute(\(shards))")
        for url in TestEnvironment.clusterURLs {
            try await TestDatabase(url: url).run("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
        }
    }

    /// Copies a database on one node.
    ///
    /// Citus's maintenance connects to the template again and again, so this tries again too.
    private static func copy(_ template: String, to name: String, on node: TestDatabase) async throws {
        for attempt in 1... {
            do {
                try await node.run(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(template)'")
                return try await node.run(
                    "CREATE DATABASE \(name) TEMPLATE \(template) STRATEGY file_copy OWNER \(TestDatabase.ownerName)")
            } catch let error as PostgresError where error.sqlState == .objectInUse && attempt < 100 {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private static func url(of name: String, on node: String) throws -> String {
        var components = try #require(URLComponents(string: node))
        components.path = "/" + name
        return try #require(components.string)
    }
}
