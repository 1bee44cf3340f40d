import Foundation

/// A shell command that files go through, and the environment that it gets.
///
/// It has no use for the settings, which hold passwords: `DATABASE_URL`, `PGPASSWORD` and others. So it gets a few
/// variables, and those that the operator names.
package struct FilterCommand: Sendable {
    /// The command, for `sh -c`.
    package let command: String
    /// All variables that it gets.
    let environment: [String: String]

    /// The variables that every command gets if they are set.
    package static let variables = ["PATH", "HOME", "LANG", "TMPDIR"]

    /// Takes a command unchecked.
    ///
    /// - Parameters:
    ///   - names: The variables that it gets beside `variables`; those that are not set are left out.
    ///   - environment: The environment of the program.
    package init(
        _ command: String, passing names: [String] = [],
        of environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.command = command
        let passed = Set(Self.variables + names)
        self.environment = environment.filter { passed.contains($0.key) }
    }
}
