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

/// The shell commands that an archive goes through on its way to the disk and back, such as `zstd -q` and `zstd -dq`.
package struct ArchiveFilter: Sendable {
    /// What the archive is written through.
    package let command: FilterCommand
    /// What it is read through.
    package let inverse: FilterCommand
    /// What the names of the files end in, such as `.zst`; may be empty.
    package let suffix: String

    /// Takes the commands unchecked.
    package init(command: FilterCommand, inverse: FilterCommand, suffix: String) {
        self.command = command
        self.inverse = inverse
        self.suffix = suffix
    }
}
