import CLibPQ
public import Logging

/// A connection to the server, on a thread of its own.
///
/// Statements are synchronous and isolated: they run on the connection's thread, which they block until the answer or
/// the deadline is there. Cancelling the task does not interrupt them. After a failure that costs the connection every
/// call throws `connectionLost`; there is no way back but a new connection.
public actor PostgresConnection {
    private nonisolated let thread: ConnectionThread
    let configuration: PostgresConfiguration
    private let logger: Logger
    var session: Session?
    var prepared = PreparedStatements()
    /// The first failure inside the open transaction, in case the body swallows it.
    var transactionFailure: PostgresError?

    /// The thread that runs whatever is isolated to this connection.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private init(thread: ConnectionThread, configuration: PostgresConfiguration, logger: Logger) {
        self.thread = thread
        self.configuration = configuration
        self.logger = logger
    }

    /// Connects within the configuration's connect timeout.
    ///
    /// - Parameters:
    ///   - configuration: Where to and how.
    ///   - logger: Told at debug level of connections that open and close.
    /// - Throws: `connectFailed` with a class of reasons, or `invalidConfiguration`.
    public static func connect(
        _ configuration: PostgresConfiguration,
        logger: Logger
    ) async throws(PostgresError) -> PostgresConnection {
        let thread = try ConnectionThread()
        let connection = PostgresConnection(thread: thread, configuration: configuration, logger: logger)
        try await connection.open()
        return connection
    }

    private func open() throws(PostgresError) {
        let session = try Session(configuration)
        self.session = session
        logger.debug("database connection opened")
    }

    /// True until the connection is lost or closed, as far as is known without asking the server.
    public var isOpen: Bool { session?.isOpen ?? false }

    /// Closes the connection, if it is open; the thread ends when the last reference goes.
    public func close() {
        guard let session else { return }
        session.close()
        self.session = nil
        logger.debug("database connection closed")
    }
}

extension PostgresConnection {
    /// What came of a body that a pool ran.
    enum Borrowed<T: Sendable>: Sendable {
        /// The server had closed the connection meanwhile: the body did not run.
        case stale
        /// The body ran; `isReusable` tells whether the connection is fit for the next one.
        case finished(Result<T, any Error>, isReusable: Bool)
    }

    /// Runs a body if the connection is alive, and clears up behind it, in one visit to the thread.
    func borrow<T: Sendable>(_ body: @Sendable (isolated PostgresConnection) throws -> T) -> Borrowed<T> {
        guard let session, session.checkIdle() else {
            close()
            return .stale
        }
        let result = Result { try body(self) }
        return .finished(result, isReusable: recover())
    }

    /// Brings the session back to where no transaction is open, or closes it.
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
