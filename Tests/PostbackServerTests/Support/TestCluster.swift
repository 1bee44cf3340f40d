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
        let cluster = TestCluster(url: try run("start", folder), folder: folder)
        do {
            let value = try await body(cluster)
            try run("destroy", folder)
            return value
        } catch {
            _ = try? run("destroy", folder)
            throw error
        }
    }

    /// `kill`, `start` or another command of the script.
    func run(_ command: String) throws {
        try Self.run(command, folder)
    }

    @discardableResult
    private static func run(_ command: String, _ folder: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: try #require(TestEnvironment.clusterScript))
        process.arguments = [command, folder]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "postgres.sh \(command) failed")
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
