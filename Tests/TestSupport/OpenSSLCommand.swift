package import Foundation
import Testing

/// The `openssl` command: another pair of eyes on keys and signatures, and a source of keys of other kinds.
package enum OpenSSLCommand {
    /// Whether the command is installed; tests that need it are skipped elsewhere, visibly.
    @Sendable package static func isInstalled() async -> Bool { (try? await status(of: ["version"])) == 0 }

    /// Runs the command and returns what it wrote to standard output.
    package static func output(of arguments: [String], in folder: URL? = nil) async throws -> String {
        let (status, output) = try await run(arguments, in: folder)
        try #require(status == 0, "openssl \(arguments.joined(separator: " "))")
        return String(decoding: output, as: UTF8.self)
    }

    /// Runs the command and returns its exit status.
    package static func status(of arguments: [String], in folder: URL? = nil) async throws -> Int32 {
        try await run(arguments, in: folder).status
    }

    /// Gives the body an empty folder, and removes it afterwards.
    package static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "adattribution-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    private static func run(_ arguments: [String], in folder: URL?) async throws -> (status: Int32, output: Data) {
        let result = try await ChildProcess.run("/usr/bin/env", ["openssl"] + arguments, folder: folder?.path())
        return (result.code, result.output)
    }
}
