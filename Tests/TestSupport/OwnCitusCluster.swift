import Foundation
import Testing

/// A Citus cluster of one test's own, whose nodes it may kill.
package struct OwnCitusCluster: Sendable {
    /// A node; workers have the numbers of `CitusCluster`.
    package enum Node: Sendable {
        case coordinator
        case worker(Int)

        fileprivate var folder: String {
            switch self {
            case .coordinator: "coordinator"
            case .worker(let number): "worker-\(number + 1)"
            }
        }
    }

    private let folder: String

    /// Runs a body with a running cluster, on which databases are made, and which is destroyed afterwards.
    package static func with<T>(_ body: (OwnCitusCluster) async throws -> T) async throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "citus-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let urls = try await run("cluster.sh", "start", folder).split(separator: "\n").map(String.init)
            let value = try await TestDatabase.$isDistributed.withValue(true) {
                try await CitusCluster.$nodes.withValue(urls) { try await body(OwnCitusCluster(folder: folder)) }
            }
            try await run("cluster.sh", "destroy", folder)
            return value
        } catch {
            _ = try? await run("cluster.sh", "destroy", folder)
            throw error
        }
    }

    /// SIGKILL to all processes of a node.
    package func kill(_ node: Node) async throws {
        try await Self.run("postgres.sh", "kill", folder + "/" + node.folder)
    }

    /// Starts a node that was killed; the others know it as before.
    package func start(_ node: Node) async throws {
        try await Self.run("postgres.sh", "start", folder + "/" + node.folder)
    }

    @discardableResult
    private static func run(_ script: String, _ arguments: String...) async throws -> String {
        let result = try await ChildProcess.run(TestEnvironment.root + "scripts/" + script, arguments)
        let errors = String(decoding: result.errors, as: UTF8.self)
        try #require(result.code == 0, "\(script) \(arguments) failed: \(errors)")
        return String(decoding: result.output, as: UTF8.self)
    }
}
