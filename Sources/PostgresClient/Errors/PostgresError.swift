/// What went wrong in the database client or in the server.
///
/// It never carries the server's message, detail, hint or context, nor the connection string: the first ones repeat
/// values of rows, the last one a password. What it carries may be logged.
public struct PostgresError: Error, Sendable, Equatable {
    /// What kind of failure it is.
    public let code: Code
    /// The server's error code; nil if the failure is not the server's.
    public internal(set) var sqlState: SQLState?
    /// The name of the violated constraint; nil unless the server named one.
    public internal(set) var constraint: String?
    /// The name of the statement or transaction, never its text; nil outside of one.
    public internal(set) var statement: String?
    /// What the client can add in its own words, such as the column that did not decode; free of values.
    public internal(set) var reason: String?
    /// True if the work may have been committed, although no answer tells so.
    ///
    /// The connection was lost, the deadline passed, or a COPY was refused, while a COMMIT or a statement outside a
    /// transaction was under way. The caller must be able to do the work twice, or look.
    public internal(set) var isOutcomeUnknown = false

    init(
        _ code: Code,
        sqlState: SQLState? = nil,
        constraint: String? = nil,
        statement: String? = nil,
        reason: String? = nil
    ) {
        self.code = code
        self.sqlState = sqlState
        self.constraint = constraint
        self.statement = statement
        self.reason = reason
    }
}

extension PostgresError {
    /// True for 40001 and 40P01: the transaction was rolled back and is worth running again as a whole.
    public var isRetryableTransaction: Bool {
        sqlState == .serializationFailure || sqlState == .deadlockDetected
    }

    /// True if the connection is gone: lost on the way, or ended by the server (57P01, 57P02, 57P03, class 08).
    public var isConnectionLoss: Bool {
        if code == .connectionLost { return true }
        guard let sqlState else { return false }
        return sqlState.classCode == "08"
            || [.adminShutdown, .crashShutdown, .cannotConnectNow].contains(sqlState)
    }

    /// True if time ran out: the client's deadline, or the server's statement timeout (57014).
    public var isDeadline: Bool {
        code == .deadlineExceeded || sqlState == .queryCanceled
    }

    /// True if the database is out of reach for now, so that the same call may succeed later.
    ///
    /// The connection is lost or could not be made, the pool has none to lend, or time ran out.
    public var isUnavailable: Bool {
        isConnectionLoss || isDeadline || [.connectFailed, .leaseTimeout, .poolClosed].contains(code)
            || sqlState == .lockNotAvailable || sqlState?.classCode == "53"
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The fields that are set; safe to log.
    public var description: String {
        var text = "PostgresError(\(code)"
        if let sqlState { text += ", sqlState: \(sqlState)" }
        if let constraint { text += ", constraint: \(constraint)" }
        if let statement { text += ", statement: \(statement)" }
        if let reason { text += ", reason: \(reason)" }
        if isOutcomeUnknown { text += ", outcome unknown" }
        return text + ")"
    }

    /// The same as `description`: there is nothing more to tell.
    public var debugDescription: String { description }
}
