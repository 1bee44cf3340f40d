import Foundation
import Testing

/// Runs programs as a user does: arguments and standard input in, both outputs and the exit code out.
enum Tool {
    struct Result {
        let code: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The adsign under test: in the folder `TEST_BIN_DIR`, else beside the test bundle.
    static let adsign: String? = {
        let folder =
            ProcessInfo.processInfo.environment["TEST_BIN_DIR"]
            ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
        let path = folder + "/adsign"
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    static func adsign(_ arguments: String..., input: String = "") async throws -> Result {
        try await run(arguments, input: input)
    }

    static func run(_ arguments: [String], input: String = "") async throws -> Result {
        let program = try #require(adsign)
        return try await run(program, arguments, input: input)
    }

    static func openssl(_ arguments: String..., input: String = "") async throws -> Result {
        try await run("/usr/bin/env", ["openssl"] + arguments, input: input)
    }

    static func shell(_ command: String) async throws -> Result {
        try await run("/bin/sh", ["-c", command], input: "")
    }

    private static func run(_ program: String, _ arguments: [String], input: String) async throws -> Result {
        // Files, not pipes: neither side can fill up while the other waits.
        let folder = try Scratch()
        try folder.write("in", input)
        try folder.write("out", "")
        try folder.write("err", "")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder["in"]))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: folder["out"]))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: folder["err"]))
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return Result(
            code: process.terminationStatus, output: try folder.read("out"), errors: try folder.read("err"))
    }
}
