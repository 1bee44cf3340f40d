public import Foundation
import Synchronization

/// A program that a test runs, by posix_spawn.
///
/// Foundation's `Process` learns of an exit through a socket that other children inherit, and now and then never does.
/// Here nothing is inherited but the three standard streams, and the exit is asked for.
public final class ChildProcess: Sendable {
    /// Where a stream of the program leads.
    public enum Stream: Sendable {
        /// Nowhere: `/dev/null`.
        case null
        /// An open descriptor of ours, which stays ours.
        case descriptor(Int32)
    }

    /// The program could not be started.
    public struct StartFailed: Error {
        /// The program.
        public let program: String
        /// `errno`.
        public let code: Int32
    }

    private let processID: pid_t
    private let status = Mutex<Int32?>(nil)

    /// Starts a program; without an environment of its own it gets ours.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, folder: String? = nil,
        input: Stream = .null, output: Stream = .null, errors: Stream = .null
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, stream) in [(Int32(0), input), (1, output), (2, errors)] {
            switch stream {
            case .null: posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
            case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, target)
            }
        }
        // Closing what is not open does no harm.
        for descriptor in Int32(3)..<1_024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        // env(1) changes the folder and then becomes the program.
        let command = folder.map { ["/usr/bin/env", "--chdir=" + $0, program] } ?? [program]
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }
        var processID: pid_t = 0
        let words = (command + arguments).map { strdup($0) } + [nil]
        let environmentWords = variables.map { strdup($0) } + [nil]
        defer { for word in words + environmentWords { free(word) } }
        let code = posix_spawn(&processID, command[0], &actions, nil, words, environmentWords)
        guard code == 0 else { throw StartFailed(program: program, code: code) }
        self.processID = processID
    }

    /// Whether the program has not ended yet.
    public var isRunning: Bool { exitCodeIfEnded == nil }

    /// The exit code once it has ended, or 128 and the signal that ended it.
    public var exitCodeIfEnded: Int32? {
        status.withLock { status in
            if let status { return status }
            var raw: Int32 = 0
            guard waitpid(processID, &raw, WNOHANG) == processID else { return nil }
            let signal = raw & 0x7F
            status = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
            return status
        }
    }

    /// Sends a signal, unless the program has ended.
    public func signal(_ number: Int32) {
        guard isRunning else { return }
        // Nobody but this object reaps the process, so its number can't have been given to another one yet.
        _ = kill(processID, number)
    }

    /// Waits until the program has ended.
    public func exitCode() async throws -> Int32 {
        while true {
            if let code = exitCodeIfEnded { return code }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The same for callers that can't suspend.
    public func waitForExitCode() -> Int32 {
        while true {
            if let code = exitCodeIfEnded { return code }
            usleep(5_000)
        }
    }
}

extension ChildProcess {
    /// What a program that has ended left behind.
    public struct Result: Sendable {
        /// The exit code.
        public let code: Int32
        /// What it wrote to standard output.
        public let output: Data
        /// What it wrote to standard error.
        public let errors: Data
    }

    /// Runs a program to its end with this input; files, not pipes, so that neither side waits for the other.
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String]? = nil, input: Data = Data(),
        folder: String? = nil
    ) async throws -> Result {
        try await withFiles(input) { files in
            let child = try ChildProcess(
                program, arguments, environment: environment, folder: folder, input: files[0], output: files[1],
                errors: files[2])
            return try await child.exitCode()
        }
    }

    /// The same for callers that can't suspend.
    public static func runBlocking(
        _ program: String, _ arguments: [String], input: Data = Data(), folder: String? = nil
    ) throws -> Result {
        let files = try Files(input)
        let child = try ChildProcess(
            program, arguments, folder: folder, input: files.streams[0], output: files.streams[1],
            errors: files.streams[2])
        return files.result(child.waitForExitCode())
    }

    private static func withFiles(_ input: Data, _ body: ([Stream]) async throws -> Int32) async throws -> Result {
        let files = try Files(input)
        return files.result(try await body(files.streams))
    }

    /// Three files without names, for the three streams.
    private final class Files {
        private let handles: [FileHandle]

        init(_ input: Data) throws {
            handles = try (0..<3).map { _ in
                let path = FileManager.default.temporaryDirectory.appending(path: "stream-\(UUID().uuidString)").path()
                let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else { throw StartFailed(program: path, code: errno) }
                unlink(path)
                return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            }
            try handles[0].write(contentsOf: input)
            try handles[0].seek(toOffset: 0)
        }

        var streams: [Stream] { handles.map { .descriptor($0.fileDescriptor) } }

        func result(_ code: Int32) -> Result {
            let contents = handles.dropFirst().map { handle -> Data in
                try? handle.seek(toOffset: 0)
                return (try? handle.readToEnd()) ?? Data()
            }
            return Result(code: code, output: contents[0], errors: contents[1])
        }
    }
}
