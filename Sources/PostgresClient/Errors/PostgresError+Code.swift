extension PostgresError {
    /// The kind of a failure.
    ///
    /// It is not an enum, so that a kind can be added without breaking a `switch`.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind, as written in logs.
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The server refused a statement; `sqlState` says why.
        package static let server = Code("server")
        /// The connection is lost; `sqlState` is set if the server said why.
        package static let connectionLost = Code("connectionLost")
        /// No connection could be made.
        ///
        /// Also thrown while the pool pauses before it tries again.
        package static let connectFailed = Code("connectFailed")
        /// The connection string or a setting can't be read.
        package static let invalidConfiguration = Code("invalidConfiguration")
        /// No answer came within the deadline; the connection was closed.
        package static let deadlineExceeded = Code("deadlineExceeded")
        /// Nobody wants the answer any more, since the program ends; the connection was closed.
        package static let interrupted = Code("interrupted")
        /// The pool is closed.
        package static let poolClosed = Code("poolClosed")
        /// No connection became free within the pool's lease timeout.
        package static let leaseTimeout = Code("leaseTimeout")
        /// A column is missing, is NULL, or has another type or a wrong form; `reason` names it.
        package static let decoding = Code("decoding")
        /// More than 65,535 parameters, or more than 1 GiB of them: use arrays and fewer rows.
        package static let tooManyParameters = Code("tooManyParameters")
        /// The statement was a COPY, which this client does not support; the connection was closed.
        package static let copyRefused = Code("copyRefused")
        /// A transaction was begun inside another one.
        package static let transactionInProgress = Code("transactionInProgress")
        /// The work is committed, but perhaps not on a synchronous standby: the wait for it was cancelled.
        ///
        /// If the standby takes over now, the work can be lost. `isOutcomeUnknown` is set.
        package static let notReplicated = Code("notReplicated")
        /// The transaction had ended before its COMMIT, for an unknown reason.
        package static let transactionAborted = Code("transactionAborted")
    }
}
