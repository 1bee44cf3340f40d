/// A failure of the database client or of the server.
///
/// It contains what the server says as far as that can't have values of rows (`ServerMessage`), and never the password of
/// the connection string. So everything in it may be logged. It names files, hosts and objects of the database, so it is
/// not for the public.
package struct PostgresError: Error, Sendable, Equatable {
    /// The kind of failure.
    package let code: Code
    /// The server's error code; nil if the failure is not the server's.
    package internal(set) var sqlState: SQLState?
    /// The name of the violated constraint; nil unless the server named one.
    package internal(set) var constraint: String?
    /// The name of the statement or transaction, never its text; nil if there was none.
    package internal(set) var statement: String?
    /// The line of a script in which the failed statement begins, or in which the server sees the mistake; from 1.
    package internal(set) var line: Int?
    /// What the server says of it; nil if it says nothing.
    package internal(set) var message: String?
    /// Where in the text that was sent the server sees the mistake: characters from 1.
    var position: Int?
    /// How many statements of a script had succeeded.
    var succeeded = 0
    /// More about the failure, such as the column that did not decode; without values.
    package internal(set) var reason: String?
    /// True if the work may have been committed, although no answer says so.
    ///
    /// The connection was lost, the deadline passed, the program ended or a COPY was refused, during a COMMIT or a
    /// statement outside a transaction. Or nobody waited for a synchronous standby. The caller must either be able to do
    /// the work twice, or find out whether it was done.
    package internal(set) var isOutcomeUnknown = false

    init(
        _ code: Code,
        sqlState: SQLState? = nil,
        constraint: String? = nil,
        statement: String? = nil,
        reason: String? = nil,
        message: String? = nil
    ) {
        self.code = code
        self.sqlState = sqlState
        self.constraint = constraint
        self.statement = statement
        self.reason = reason
        self.message = message
    }
}

extension PostgresError {
    /// True for 40001 and 40P01: the transaction was rolled back, and the whole transaction should run again.
    package var isRetryableTransaction: Bool {
        sqlState == .serializationFailure || sqlState == .deadlockDetected
    }

    /// True if the connection is lost, or the server ended it (57P01, 57P02, 57P03, class 08).
    package var isConnectionLoss: Bool {
        if code == .connectionLost { return true }
        guard let sqlState else { return false }
        return sqlState.classCode == "08"
            || [.adminShutdown, .crashShutdown, .cannotConnectNow].contains(sqlState)
    }

    /// True if the client's deadline passed, or the server's statement timeout (57014).
    package var isDeadline: Bool {
        code == .deadlineExceeded || sqlState == .queryCanceled
    }

    /// True if the session allows no writing (25006): the server is a standby, or it is set to be read-only.
    ///
    /// Another session may allow it.
    package var isReadOnlySession: Bool { sqlState == .readOnlyTransaction }

    /// True if the database can't do the work now, but the same call may succeed later.
    ///
    /// One of these holds:
    /// - The connection is lost or could not be made, or the pool has none to lend, or the program ends.
    /// - A deadline passed, or a lock was not free in time (55P03).
    /// - The server lacks resources (class 53).
    /// - The session allows no writing (25006).
    /// - Nobody waited for a synchronous standby.
    package var isUnavailable: Bool {
        isConnectionLoss || isDeadline
            || [.connectFailed, .leaseTimeout, .poolClosed, .interrupted, .notReplicated].contains(code)
            || isReadOnlySession || sqlState == .lockNotAvailable || sqlState?.classCode == "53"
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The fields that are set.
    ///
    /// They may be logged.
    package var description: String {
        var text = "PostgresError(\(code)"
        if let sqlState { text += ", sqlState: \(sqlState)" }
        if let constraint { text += ", constraint: \(constraint)" }
        if let statement { text += ", statement: \(statement)" }
        if let line { text += ", line: \(line)" }
        if let reason { text += ", reason: \(reason)" }
        if let message { text += ", message: \(message)" }
        if isOutcomeUnknown { text += ", outcome unknown" }
        return text + ")"
    }

    /// The same as `description`.
    package var debugDescription: String { description }
}

extension PostgresError {
    /// What is wrong, for whoever runs a command: the facts of `description`, without the names of our types.
    package var words: String {
        let said = [reason, message].compactMap(\.self)
        // What the server refuses, it explains itself.
        let what = (code == .server && !said.isEmpty ? said : [code.words] + said).joined(separator: ": ")
        var facts: [String] = []
        if let sqlState { facts.append("SQLSTATE \(sqlState)") }
        if let constraint { facts.append("constraint \(constraint)") }
        if let statement { facts.append("statement \(statement)") }
        if let line { facts.append("line \(line)") }
        if isOutcomeUnknown { facts.append("it may be done all the same") }
        return facts.isEmpty ? what : "\(what) (\(facts.joined(separator: ", ")))"
    }
}
