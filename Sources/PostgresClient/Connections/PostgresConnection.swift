import CLibPQ
package import Logging

/// A connection to the server, on a thread of its own.
///
/// Statements are synchronous and isolated: they run on the connection's thread, and block it until the answer comes or
/// the deadline passes. Cancelling the task does not end them. If the connection is lost, every later call throws
/// `connectionLost`; make a new connection then.
package actor PostgresConnection {
    private nonisolated let thread: ConnectionThread
    let configuration: PostgresConfiguration
    private let logger: Logger
    var session: Session?
    var prepared = PreparedStatements()
    /// The first failure inside the open transaction, if the body catches it.
    var transactionFailure: PostgresError?
    /// Set if a statement was refused because the session allows no writing.
    var isReadOnly = false
    /// The statement timeout of the open transaction, if it has one of its own.
    var transactionTimeout: Duration?

    /// The thread that runs everything that is isolated to this connection.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private init(thread: ConnectionThread, configuration: PostgresConfiguration, logger: Logger) {
        self.thread = thread
        self.configuration = configuration
        self.logger = logger
    }

    /// Connects within the configuration's connect timeout.
    ///
    /// - Parameters:
    ///   - configuration: Where the database is, and how the session behaves.
    ///   - logger: Gets a debug message when the connection opens and when it closes.
    /// - Throws: `connectFailed` with a class of reasons and what libpq says, or `invalidConfiguration`.
    package static func connect(
        _ configuration: PostgresConfiguration,
        logger: Logger
    ) async throws(PostgresError) -> PostgresConnection {
        try await connect(configuration, logger: logger, interruption: nil)
    }

    /// The same for a pool, which may end the attempt: `interrupted` is thrown then.
    static func connect(
        _ configuration: PostgresConfiguration, logger: Logger, interruption: Interruption?
    ) async throws(PostgresError) -> PostgresConnection {
        let thread = try ConnectionThread()
        let connection = PostgresConnection(thread: thread, configuration: configuration, logger: logger)
        try await connection.open(interruption)
        return connection
    }

    private func open(_ interruption: Interruption?) throws(PostgresError) {
        let session = try Session(configuration, interruption: interruption)
        self.session = session
        logger.debug("database connection opened")
    }

    /// True until the connection is lost or closed, as far as the client knows without asking the server.
    package var isOpen: Bool { session?.isOpen ?? false }

    /// Closes the connection, if it is open.
    ///
    /// The thread ends with the last reference to the connection.
    package func close() {
        guard let session else { return }
        session.close()
        self.session = nil
        logger.debug("database connection closed")
    }
}

extension PostgresConnection {
    /// The result of running a body for a pool.
    enum Borrowed<T: Sendable>: Sendable {
        /// The server had closed the idle connection: the body did not run.
        case stale
        /// The body ran.
        case finished(Result<T, any Error>, Fitness)
    }

    /// Whether a connection can be lent again.
    enum Fitness: Sendable {
        case reusable
        /// It is closed.
        case lost
        /// It was closed, because no answer came in time.
        case unanswered
        /// It was closed, because its session allows no writing.
        case readOnly
    }

    /// Runs a body if the connection is alive, and then ends a transaction that is still open, in one hop to the
    /// thread.
    ///
    /// - Parameter interruption: Ends the body's wait for the server: `interrupted` is thrown then.
    func borrow<T: Sendable>(
        _ interruption: Interruption, _ body: @Sendable (isolated PostgresConnection) throws -> T
    ) -> Borrowed<T> {
        guard let session, session.checkIdle() else {
            close()
            return .stale
        }
        session.interruption = interruption
        defer { session.interruption = nil }
        let result = Result { try body(self) }
        let isReusable = recover()
        guard !isReadOnly else {
            close()
            return .finished(result, .readOnly)
        }
        guard !isReusable else { return .finished(result, .reusable) }
        if case .failure(let error as PostgresError) = result, error.code == .deadlineExceeded {
            return .finished(result, .unanswered)
        }
        return .finished(result, .lost)
    }

    /// Ends an open transaction; closes the connection if that fails.
    private func recover() -> Bool {
        transactionFailure = nil
        if let session, session.isOpen {
            switch session.transactionStatus {
            case PQTRANS_IDLE:
                return true
            case PQTRANS_INTRANS, PQTRANS_INERROR:
                if (try? control("ROLLBACK", for: "rollback")) != nil { return true }
            default:
                break
            }
        }
        close()
        return false
    }
}
