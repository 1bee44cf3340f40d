import Foundation
import TestSupport
import Testing

/// A server whose log nobody reads any more once it listens.
final class UnreadServer {
    private let process = Process()
    private let errors = Pipe()
    private var read = ""

    /// Starts `PostbackServer serve`, and reads its log until both listeners are up.
    init(environment: [String: String]) throws {
        process.executableURL = URL(filePath: try #require(TestEnvironment.programs) + "/PostbackServer")
        process.arguments = ["serve"]
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { mine, _ in mine }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        while (try? (port(of: "postbacks"), port(of: "admin"))) == nil {
            let bytes = errors.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "the server ended: \(read)")
            read += String(decoding: bytes, as: UTF8.self)
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The port of a listener, `postbacks` or `admin`, from a log of either format.
    func port(of listener: String) throws -> Int {
        // The last piece may be the beginning of a line.
        let lines = read.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let line = lines.first { $0.contains(/listener(?:=|":")/) && $0.contains(listener) }
        guard let port = line?.firstMatch(of: /port(?:=|":")([0-9]+)/).flatMap({ Int($0.1) }) else {
            throw TimedOut(what: "the listener \(listener) is up")
        }
        return port
    }

    /// Closes the log's pipe, so that a write to it fails.
    func closeLog() throws {
        try errors.fileHandleForReading.close()
    }

    /// Sends SIGTERM, and returns the exit code.
    func terminate() async throws -> Int32 {
        process.terminate()
        return try await eventually("the program ends") { process.isRunning ? nil : process.terminationStatus }
    }
}
