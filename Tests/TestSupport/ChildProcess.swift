public import Foundation
package import Subprocess
import SystemPackage

/// A program that a test runs to its end.
public enum ChildProcess {
    /// What a program that has ended left behind.
    public struct Result: Sendable {
        /// The exit code, or 128 and the signal that ended it.
        public let code: Int32
        /// What it wrote to standard output.
        public let output: Data
        /// What it wrote to standard error.
        public let errors: Data
    }

    /// Far more than any program here writes.
    private static let outputLimit = 1 << 30

    /// Runs a program with this input; without an environment of its own it gets ours.
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String]? = nil, input: Data = Data(),
        folder: String? = nil
    ) async throws -> Result {
        let result = try await Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(arguments), environment: variables(environment),
            workingDirectory: folder.map { FilePath($0) }, input: .data(input), output: .data(limit: outputLimit),
            error: .data(limit: outputLimit))
        return Result(
            code: code(of: result.terminationStatus), output: result.standardOutput, errors: result.standardError)
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
