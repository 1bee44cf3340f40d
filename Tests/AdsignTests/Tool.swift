import Foundation
import TestSupport
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

    static func adsign(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) async throws -> Result {
        try await run(arguments, input: input, environment: environment)
    }

    /// Runs adsign with these variables beside ours.
    static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Result {
        let program = try #require(adsign)
        return try await run(program, arguments, input: input, environment: environment)
    }

    static func openssl(_ arguments: String..., input: String = "") async throws -> Result {
        try await run("/usr/bin/env", ["openssl"] + arguments, input: input)
    }

    static func shell(_ command: String) async throws -> Result {
        try await run("/bin/sh", ["-c", command], input: "")
    }

    private static func run(
        _ program: String, _ arguments: [String], input: String, environment: [String: String] = [:]
    ) async throws -> Result {
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let result = try await ChildProcess.run(
            program, arguments, environment: variables, input: Data(input.utf8))
        return Result(
            code: result.code, output: String(decoding: result.output, as: UTF8.self),
            errors: String(decoding: result.errors, as: UTF8.self))
    }
}
