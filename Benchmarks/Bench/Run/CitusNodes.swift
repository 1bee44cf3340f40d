import Foundation

/// The private Citus cluster of a run: a coordinator and two workers, durable and with as much memory as the plain one.
struct CitusNodes: Sendable {
    /// A node: its URL, and the number of its first process.
    private struct Node: Sendable {
        let url: String
        let postmaster: Int32

        /// The folder of its socket, by which the others know it.
        var socket: String { url.split(separator: "host=").last.map { String($0.prefix { $0 != "&" }) } ?? "" }
    }

    private static let script = "scripts/cluster.sh"
    private static let settings = """
        fsync = on
        shared_buffers = 256MB
        """

    private let tools: Tools
    /// The coordinator is the first one.
    private let nodes: [Node]

    /// - Throws: `BenchError` if Citus is not installed.
    static func start(in folder: String, with tools: Tools) async throws -> CitusNodes {
        do {
            try await tools.run(script, ["installed"])
        } catch is BenchError {
            throw BenchError("Citus is not installed for this PostgreSQL")
        }
        let urls = try await tools.run(script, ["start", folder], changes: ["CLUSTER_SETTINGS": settings])
        var nodes: [Node] = []
        for (name, url) in zip(["coordinator", "worker-1", "worker-2"], urls.split(separator: "\n")) {
            let status = try await tools.run("scripts/postgres.sh", ["status", folder + "/" + name])
            guard let postmaster = MeasuredCluster.processID(in: status) else {
                throw BenchError("postgres.sh tells no process")
            }
            nodes.append(Node(url: String(url), postmaster: postmaster))
        }
        return CitusNodes(tools: tools, nodes: nodes)
    }

    /// Removes the nodes with all of their data, if there are any.
    static func destroy(_ folder: String, with tools: Tools) async throws {
        guard FileManager.default.fileExists(atPath: folder) else { return }
        try await tools.run(script, ["destroy", folder])
    }

    /// Makes a distributed database.
    func makeStore(_ name: String, programs: String, lanes: Int) async throws -> MeasuredStore {
        func store(_ database: String, on node: Node) -> MeasuredStore {
            MeasuredStore(
                programs: programs, url: node.url.replacing("/attribution?", with: "/\(database)?"),
                postmasters: nodes.map(\.postmaster))
        }
        for node in nodes {
            try await store("attribution", on: node).run("CREATE DATABASE \(name)")
            try await store(name, on: node).run("CREATE EXTENSION citus")
        }
        let coordinator = store(name, on: nodes[0])
        try await coordinator.run("SELECT citus_set_coordinator_host('\(nodes[0].socket)', 5432)")
        for node in nodes.dropFirst() { try await coordinator.run("SELECT citus_add_node('\(node.socket)', 5432)") }
        for arguments in [["migrate"], ["distribute", "--lanes", String(lanes)]] {
            try await tools.run(
                programs + "/PostbackServer", arguments, changes: ["DATABASE_URL": coordinator.url])
        }
        return coordinator
    }
}
