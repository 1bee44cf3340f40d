import Foundation
import Subprocess
import SystemPackage

/// Runs programs on the cores of the run, in its environment.
struct Tools: Sendable {
    let cores: CoreSet
    var environment: [String: String]

    /// How much of a program's output is kept.
    private static let outputLimit = 1 << 22

    /// The environment of this process, without what would mean another database or server.
    static func cleanEnvironment(_ environment: [String: String]) -> [String: String] {
        environment.filter { name, _ in
            !["PG", "HTTP_", "ADMIN_"].contains { name.hasPrefix($0) } && name != "CONFIG_FILE"
        }
        // Numbers and dates in one form.
        .merging(["LC_ALL": "C"]) { $1 }
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - cores: The cores that it may use; nil stands for those of the run.
    ///   - changes: What its environment has besides.
    /// - Returns: Its standard output.
    /// - Throws: `BenchError` with the program's last words if it fails.
    @discardableResult
    func run(
        _ program: String, _ arguments: [String] = [], cores: CoreSet? = nil, changes: [String: String] = [:]
    ) async throws -> String {
        let result = try await Subprocess.run(
            configuration(program, arguments, cores, changes), input: .none, output: .string(limit: Self.outputLimit),
            error: .string(limit: Self.outputLimit))
        try Self.check(program, result.terminationStatus, result.standardError)
        return result.standardOutput
    }

    /// Runs a program to its end; its standard output goes to a file.
    func run(
        _ program: String, _ arguments: [String], to path: String, append: Bool = false, cores: CoreSet? = nil
    ) async throws {
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: append ? [.create, .append] : [.create, .truncate],
            permissions: .ownerReadWrite)
        let result = try await Subprocess.run(
            configuration(program, arguments, cores, [:]), input: .none,
            output: .fileDescriptor(file, closeAfterSpawningProcess: true), error: .string(limit: Self.outputLimit))
        try Self.check(program, result.terminationStatus, result.standardError)
    }

    /// Runs a program to its end; the user sees what it says.
    func show(_ program: String, _ arguments: [String]) async throws {
        let result = try await Subprocess.run(
            .name(program), arguments: Arguments(arguments), environment: variables([:]), platformOptions: Self.options,
            output: .currentStandardOutput, error: .currentStandardError)
        try Self.check(program, result.terminationStatus, "")
    }

    /// Runs a program while a body runs, and ends it afterwards: by SIGTERM, and after 35 seconds by SIGKILL.
    ///
    /// - Parameter log: The file to which its standard error is appended.
    func with<Value: Sendable>(
        _ program: String, _ arguments: [String], folder: String, log: String, changes: [String: String] = [:],
        _ body: @escaping @Sendable (RunningProgram) async throws -> Value
    ) async throws -> Value {
        let file = try FileDescriptor.open(
            FilePath(log), .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
        var configuration = configuration(program, arguments, nil, changes)
        configuration.workingDirectory = FilePath(folder)
        let result = try await Subprocess.run(
            configuration, input: .none, output: .discarded,
            error: .fileDescriptor(file, closeAfterSpawningProcess: true)
        ) { execution in
            let result: Result<Value, any Error>
            do {
                result = .success(try await body(RunningProgram(id: execution.processIdentifier.value, log: log)))
            } catch {
                result = .failure(error)
            }
            await execution.teardown(using: Self.options.teardownSequence)
            return result
        }
        let value = try result.closureResult.get()
        switch result.terminationStatus {
        case .exited(0), .signaled(SIGTERM): return value
        case let status: throw BenchError("\(program) ended with \(status)")
        }
    }

    /// A session of its own keeps a Ctrl-C at the terminal away from the program; it is ended in order instead.
    private static var options: PlatformOptions {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.send(signal: .terminate, allowedDurationToNextStep: .seconds(35))]
        return options
    }

    private func configuration(
        _ program: String, _ arguments: [String], _ cores: CoreSet?, _ changes: [String: String]
    ) -> Configuration {
        let words = (cores ?? self.cores).command(program, arguments)
        return Configuration(
            executable: .name(words[0]), arguments: Arguments(Array(words.dropFirst())),
            environment: variables(changes),
            platformOptions: Self.options)
    }

    private func variables(_ changes: [String: String]) -> Environment {
        let all = environment.merging(changes) { $1 }
        return .custom(Dictionary(uniqueKeysWithValues: all.map { (Environment.Key(stringLiteral: $0), $1) }))
    }

    private static func check(_ program: String, _ status: TerminationStatus, _ errors: String) throws {
        guard !status.isSuccess else { return }
        try Task.checkCancellation()
        let lines = errors.split(separator: "\n")
        let line = lines.first { $0.contains("ERROR:") } ?? lines.last ?? ""
        throw BenchError("\(program.split(separator: "/").last ?? "") ended with \(status); \(line)")
    }
}

/// A program that runs beside a measurement.
struct RunningProgram: Sendable {
    let id: Int32
    /// The file that it logs to.
    let log: String

    /// Waits until a check succeeds.
    ///
    /// - Throws: `BenchError` with the end of the log if the program ends before, or after a minute.
    func wait(until isReady: () async -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !(await isReady()) {
            guard ProcessStatus.of(id)?.hasEnded == false, ContinuousClock.now < deadline else {
                let lines = (try? String(contentsOfFile: log, encoding: .utf8))?.split(separator: "\n") ?? []
                throw BenchError("a program did not start: \(lines.last ?? "it says nothing")")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
