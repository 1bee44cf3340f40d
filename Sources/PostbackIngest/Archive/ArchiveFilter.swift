import Foundation

/// The shell commands that an archive goes through on its way to the disk and back, such as `zstd -q` and `zstd -dq`.
package struct ArchiveFilter: Sendable {
    /// What the archive is written through.
    package let command: String
    /// What it is read through.
    package let inverse: String
    /// What the names of the files end in, such as `.zst`; may be empty.
    package let suffix: String

    /// Takes the commands unchecked.
    package init(command: String, inverse: String, suffix: String) {
        self.command = command
        self.inverse = inverse
        self.suffix = suffix
    }
}

/// A shell command that runs.
struct FilterProcess {
    private let process = Process()
    private let command: String

    /// Settings that a filter has no use for.
    private static let secrets: Set = ["DATABASE_URL", "ADMIN_TOKEN"]

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - input: A `Pipe` or a `FileHandle`.
    ///   - output: The same.
    init(_ command: String, input: Any, output: Any) throws {
        self.command = command
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment.filter { !Self.secrets.contains($0.key) }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Waits until the command ends.
    ///
    /// - Parameter path: The archive, for the error.
    /// - Throws: `ArchiveError` if the command failed.
    func finish(_ path: String) throws(ArchiveError) {
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let signal = process.terminationReason == .exit ? "exit code" : "signal"
            throw ArchiveError(
                path: path, rule: "the filter '\(command)' ended with \(signal) \(process.terminationStatus)")
        }
    }

    /// Ends the command, whatever it does.
    func kill() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }
}
