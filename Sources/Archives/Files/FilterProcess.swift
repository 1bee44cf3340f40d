import Foundation

/// A shell command that runs.
struct FilterProcess {
    private let process = Process()
    private let command: String

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - input: A `Pipe` or a `FileHandle`.
    ///   - output: The same.
    init(_ filter: FilterCommand, input: Any, output: Any) throws {
        command = filter.command
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = filter.environment
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
