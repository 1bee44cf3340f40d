import Foundation
import TestSupport
import Testing

/// A PostgreSQL cluster of one test's own, which it may kill.
struct TestCluster: Sendable {
    let url: String
    private let folder: String

    /// Runs a body with a running cluster, which is destroyed afterwards.
    static func with<T>(_ body: (TestCluster) async throws -> T) async throws -> T {
        try await with({ try await run("start", $0) }, body)
    }

    /// Runs a body with a standby of this cluster, which is destroyed afterwards.
    func withStandby<T>(_ body: (TestCluster) async throws -> T) async throws -> T {
        try await Self.with({ try await Self.run("standby", $0, folder) }, body)
    }

    private static func with<T>(
        _ start: (_ folder: String) async throws -> String, _ body: (TestCluster) async throws -> T
    ) async throws -> T {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cluster-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let value = try await body(TestCluster(url: try await start(folder), folder: folder))
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

    /// Runs a body while all processes of the cluster are stopped with SIGSTOP.
    func whileStopped<T>(_ body: () async throws -> T) async throws -> T {
        let status = try await Self.run("status", folder)
        let process = try #require(status.firstMatch(of: /process ([0-9]+)/).flatMap { Int32($0.1) })
        // The first process is stopped first, so that it makes no others meanwhile.
        try #require(kill(process, SIGSTOP) == 0)
        let children = try String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
        let processes = [process] + children.split(separator: " ").compactMap { Int32($0) }
        defer { for process in processes { kill(process, SIGCONT) } }
        for process in processes { kill(process, SIGSTOP) }
        return try await body()
    }

    @discardableResult
    private static func run(_ arguments: String...) async throws -> String {
        let script = try #require(TestEnvironment.clusterScript)
        let result = try await ChildProcess.run(script, arguments)
        let errors = String(decoding: result.errors, as: UTF8.self)
        try #require(result.code == 0, "postgres.sh \(arguments) failed: \(errors)")
        return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
