package import Foundation
package import Subprocess
import SystemPackage

/// A program that a test runs to its end.
package enum ChildProcess {
    /// What a program that has ended left behind.
    package struct Result: Sendable {
        /// The exit code, or 128 and the signal that ended it.
        package let code: Int32
        /// What it wrote to standard output.
        package let output: Data
        /// What it wrote to standard error.
        package let errors: Data
    }

    /// Far more than any program here writes.
    private static let outputLimit = 1 << 30

    /// Runs a program with this input; without an environment of its own it gets ours.
    package static func run(
        _ program: String, _ arguments: [String], environment: [String: String]? = nil, input: Data = Data(),
        folder: String? = nil
    ) async throws -> Result {
        let result = try await Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(arguments), environment: variables(environment),
            workingDirectory: folder.map { FilePath($0) },
            input: .fileDescriptor(try file(of: input), closeAfterSpawningProcess: true),
            output: .data(limit: outputLimit), error: .data(limit: outputLimit))
        return Result(
            code: code(of: result.terminationStatus), output: result.standardOutput, errors: result.standardError)
    }

    /// A file with this content, open for reading, that has no name any more.
    ///
    /// If input is written through a pipe and the program closes it early, swift-subprocess 1.0.2 ends our process:
    /// https://github.com/swiftlang/swift-subprocess/issues/367.
    private static func file(of input: Data) throws -> FileDescriptor {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try input.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try FileDescriptor.open(FilePath(url.path), .readOnly)
    }

    /// The environment of a program; nil stands for ours.
    package static func variables(_ environment: [String: String]?) -> Environment {
        guard let environment else { return .inherit }
        return .custom(Dictionary(uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0), $1) }))
    }

    /// The exit code, or 128 and the signal that ended it, as a shell tells it.
    package static func code(of status: TerminationStatus) -> Int32 {
        switch status {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
