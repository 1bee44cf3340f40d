import Foundation
import TestSupport
import Testing

/// A PostgreSQL cluster of one test's own, which it may kill.
struct TestCluster: Sendable {
    let url: String
    private let folder: String

    /// Runs a body with a running cluster, which is destroyed afterwards.
    static func with<T>(_ body: (TestCluster) async throws -> T) async throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cluster-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cluster = TestCluster(url: try await run("start", folder), folder: folder)
        do {
            let value = try await body(cluster)
            try await run("destroy", folder)
            return value
        } catch {
            _ = try? await run("destroy", folder)
            throw error
        }
    }

    /// `kill`, `start` or another command of the script.
    func run(_ command: String) async throws {
        try await Self.run(command, folder)
    }

    @discardableResult
    private static func run(_ command: String, _ folder: String) async throws -> String {
        let script = try #require(TestEnvironment.clusterScript)
        let result = try await ChildProcess.run(script, [command, folder])
        let errors = String(decoding: result.errors, as: UTF8.self)
        try #require(result.code == 0, "postgres.sh \(command) failed: \(errors)")
        return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
