import Foundation
import Synchronization
import TestSupport
import Testing

/// A program that runs: its standard error is read all the time, and it never outlives the test.
final class ServerProcess: Sendable {
    private struct State {
        var partial = ""
        var lines: [String] = []
    }

    private let process: ChildProcess
    private let state = Mutex(State())

    /// Starts `PostbackServer` with these settings and no others; without `await` of anything.
    init(_ arguments: [String] = ["serve"], environment: [String: String], folder: String? = nil) throws {
        let programs = try #require(TestEnvironment.programs)
        let pipe = Pipe()
        process = try ChildProcess(
            programs + "/PostbackServer", arguments,
            environment: environment.merging(["PATH": "/usr/bin:/bin"]) { mine, _ in mine }, folder: folder,
            errors: .descriptor(pipe.fileHandleForWriting.fileDescriptor))
        try pipe.fileHandleForWriting.close()
        let handle = pipe.fileHandleForReading
        Thread { [self] in
            while case let data = handle.availableData, !data.isEmpty { take(data) }
        }.start()
    }

    /// What the program has written to standard error so far, line by line.
    var lines: [String] { state.withLock { $0.lines + ($0.partial.isEmpty ? [] : [$0.partial]) } }

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

    var isRunning: Bool { process.isRunning }

    /// Sends SIGKILL and waits.
    func kill() async throws {
        process.signal(SIGKILL)
        _ = try await exitCode()
    }

    /// Sends SIGTERM.
    func terminate() {
        process.signal(SIGTERM)
    }

    /// Waits until the program has ended by itself or by a signal sent before.
    func exitCode() async throws -> Int32 {
        try await eventually("the program ends") { process.exitCodeIfEnded }
    }

    private func take(_ data: Data) {
        state.withLock { state in
            var parts = (state.partial + String(decoding: data, as: UTF8.self)).split(
                separator: "\n", omittingEmptySubsequences: false)
            state.partial = String(parts.removeLast())
            state.lines += parts.map(String.init)
        }
    }
}

/// Asks again until there is an answer; the deadline is only there so that nothing hangs.
@discardableResult
func eventually<Value>(
    _ what: String, seconds: Int = 120, _ body: () async throws -> Value?
) async throws -> Value {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
        if let value = try await body() { return value }
        try await Task.sleep(for: .milliseconds(20))
    }
    throw TimedOut(what: what)
}

/// Something did not happen.
struct TimedOut: Error {
    let what: String
}
