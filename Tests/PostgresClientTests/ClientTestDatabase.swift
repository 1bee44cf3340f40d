import FoundationEssentials
import Glibc
import Logging
import PostgresClient
import Synchronization
import Testing

/// The throw-away cluster that the integration tests may do anything to.
enum ClientTestDatabase {
    static let url = ProcessInfo.processInfo.environment["TEST_DATABASE_URL"]
    static var isAvailable: Bool { url != nil }
    static let reason: Comment = "needs TEST_DATABASE_URL, a superuser's URL of a throw-away PostgreSQL cluster"

    static func configuration(
        _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> PostgresConfiguration {
        var configuration = PostgresConfiguration(connectionString: try #require(url))
        // Patient, so that a busy machine fails no test; those about deadlines choose their own.
        configuration.connectTimeout = .seconds(600)
        configuration.statementTimeout = .seconds(60)
        configuration.lockTimeout = .seconds(60)
        configuration.idleInTransactionTimeout = .seconds(60)
        // Tests make tables of their own.
        configuration.sessionSettings.append((name: "search_path", value: "public"))
        change(&configuration)
        return configuration
    }

    /// Runs a body on a connection of its own.
    @discardableResult
    static func connected<T: Sendable>(
        _ change: (inout PostgresConfiguration) -> Void = { _ in },
        _ body: @Sendable (isolated PostgresConnection) throws -> T
    ) async throws -> T {
        let connection = try await PostgresConnection.connect(configuration(change), logger: .silent)
        do {
            let value = try await run(connection, body)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }

    static func run<T>(
        _ connection: isolated PostgresConnection,
        _ body: @Sendable (isolated PostgresConnection) throws -> T
    ) throws -> T {
        try body(connection)
    }

    static func pool(
        size: Int = 2,
        leaseTimeout: Duration = .seconds(600),
        logger: Logger = .silent,
        _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> PostgresPool {
        PostgresPool(
            configuration: try configuration(change),
            size: size,
            leaseTimeout: leaseTimeout,
            logger: logger
        )
    }

    /// A name for a table that no other test uses.
    static func tableName() -> String {
        "t_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    }
}

extension Logger {
    static let silent = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
}

/// Waits until something comes true; false after ten minutes.
func eventually(_ condition: @Sendable () async throws -> Bool) async throws -> Bool {
    for _ in 0..<60_000 {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}

/// Runs something and returns the client's error it throws.
func clientError<T>(_ body: () async throws -> T) async throws -> PostgresError {
    do {
        _ = try await body()
    } catch let error as PostgresError {
        return error
    }
    Issue.record("no error was thrown")
    throw CancellationError()
}

/// A value that several tasks change.
final class Shared<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }
}

/// Keeps what is logged.
final class LogRecorder: Sendable {
    let lines = Mutex<[String]>([])

    var logger: Logger { Logger(label: "tests") { _ in Handler(recorder: self) } }

    struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let line = ["\(event.level)", "\(event.message)"] + fields
            recorder.lines.withLock { $0.append(line.joined(separator: " ")) }
        }
    }
}
