import Foundation
import Subprocess
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A program that runs: its standard error is read all the time, and it never outlives the test.
final class ServerProcess: Sendable {
    private struct State {
        var lines: [String] = []
        var code: Int32?
        var processID: Int32?
    }

    private let state = Mutex(State())
    private let signals: AsyncStream<Signal>.Continuation

    /// Starts `PostbackServer` with these settings and no others; without `await` of anything.
    ///
    /// - Parameter openFiles: The limit of open files, soft and hard; nil for that of the tests.
    init(
        _ arguments: [String] = ["serve"], environment: [String: String], folder: String? = nil, openFiles: Int? = nil
    ) throws {
        let program = try #require(TestEnvironment.programs) + "/PostbackServer"
        var (executable, arguments) = (program, arguments)
        if let openFiles {
            arguments = ["-c", "ulimit -n \(openFiles) && exec \"$0\" \"$@\"", program] + arguments
            executable = "/bin/sh"
        }
        let configuration = Configuration(
            executable: .path(FilePath(executable)), arguments: Arguments(arguments),
            environment: ChildProcess.variables(environment.merging(["PATH": "/usr/bin:/bin"]) { mine, _ in mine }),
            workingDirectory: folder.map { FilePath($0) })
        let (stream, continuation) = AsyncStream.makeStream(of: Signal.self)
        signals = continuation
        Task { await run(configuration, signals: stream) }
    }

    /// Runs the program to its end, passes signals on and keeps what it says.
    private func run(_ configuration: Configuration, signals: AsyncStream<Signal>) async {
        do {
            let result = try await Subprocess.run(
                configuration, input: .none, output: .discarded, error: .sequence
            ) { execution in
                state.withLock { $0.processID = execution.processIdentifier.value }
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        for await signal in signals { try? execution.send(signal: signal) }
                    }
                    for try await line in execution.standardError.strings(bufferingPolicy: .unbounded) {
                        state.withLock { $0.lines.append(line) }
                    }
                    group.cancelAll()
                }
            }
            state.withLock { $0.code = ChildProcess.code(of: result.terminationStatus) }
        } catch {
            state.withLock { state in
                state.lines.append("the program can't be run: \(error)")
                state.code = -1
            }
        }
    }

    /// The lines that the program has written to standard error so far.
    var lines: [String] { state.withLock { $0.lines } }

    /// The port of a listener, `postbacks` or `admin`, once it listens.
    func port(of listener: String) async throws -> Int {
        let port = try await eventually("the listener \(listener) is up") { () -> Int? in
            for line in lines where line.contains("\"listening\"") && line.contains("\"listener\":\"\(listener)\"") {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                let metadata = object?["metadata"] as? [String: Any]
                return (metadata?["port"] as? String).flatMap { Int($0) }
            }
            try #require(isRunning, "the server ended: \(lines.joined(separator: "\n"))")
            return nil
        }
        return port
    }

    /// Waits until the admin listener takes connections on its Unix socket.
    func listensOnSocket() async throws {
        try await eventually("the socket is up") {
            lines.contains { $0.contains("\"listener\":\"admin_socket\"") } ? true : nil
        }
    }

    /// The number of the process, once it runs.
    var processID: Int32? { state.withLock { $0.processID } }

    var isRunning: Bool { state.withLock { $0.code == nil } }

    /// Sends SIGKILL and waits.
    func kill() async throws {
        signals.yield(.kill)
        _ = try await exitCode()
    }

    /// Sends SIGHUP.
    func hangUp() {
        signals.yield(.terminalClosed)
    }

    /// Sends SIGTERM.
    func terminate() {
        signals.yield(.terminate)
    }

    /// Waits until the program has ended by itself or by a signal sent before.
    func exitCode() async throws -> Int32 {
        try await eventually("the program ends") { state.withLock { $0.code } }
    }
}
