import PostgresClient

/// The private PostgreSQL cluster of a run.
struct MeasuredCluster: Sendable {
    private let tools: Tools
    private let folder: String
    /// The URL of the first database.
    let url: String
    /// The number of the server's first process.
    let postmaster: Int32

    private static let script = "scripts/postgres.sh"

    static func start(in folder: String, with tools: Tools) async throws -> MeasuredCluster {
        let url = try await tools.run(script, ["start", folder]).trimmed
        let status = try await tools.run(script, ["status", folder])
        guard let postmaster = processID(in: status) else { throw BenchError("postgres.sh tells no process") }
        return MeasuredCluster(tools: tools, folder: folder, url: url, postmaster: postmaster)
    }

    /// Removes a cluster with all of its data, if there is one.
    static func destroy(_ folder: String, with tools: Tools) async throws {
        try await tools.run(script, ["destroy", folder])
    }

    /// The number of the process in a line such as `running, process 123, postgresql://…`.
    static func processID(in status: String) -> Int32? {
        status.split(separator: ",").first { $0.hasPrefix(" process ") }
            .flatMap { Int32($0.dropFirst(" process ".count)) }
    }

    /// The URL of another database of the cluster.
    func url(of database: String) -> String {
        url.replacing("/attribution?", with: "/\(database)?")
    }

    /// Makes a database with its schema.
    ///
    /// - Parameters:
    ///   - name: Nil stands for the first database, which is there.
    ///   - migrations: The folder with the baseline's migrations; nil if they are in the program.
    func makeStore(
        _ name: String?, programs: String, lanes: Int? = nil, migrations: String? = nil
    ) async throws -> MeasuredStore {
        let store = MeasuredStore(programs: programs, url: name.map(url(of:)) ?? url, postmasters: [postmaster])
        if let name {
            let first = MeasuredStore(programs: programs, url: url, postmasters: [postmaster])
            try await first.withConnection {
                try $0.run(PostgresStatement("bench_database", "CREATE DATABASE \(name)"))
            }
        }
        var changes = ["DATABASE_URL": store.url]
        // Only the baseline asks for it.
        if let migrations { changes["MIGRATIONS_PATH"] = migrations }
        try await tools.run(
            programs + "/PostbackServer", ["migrate"] + (lanes.map { ["--lanes", String($0)] } ?? []), changes: changes)
        return store
    }
}
