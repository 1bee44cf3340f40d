extension PostgresError {
    /// The kind of a failure.
    ///
    /// It is not an enum, so that a kind can be added without breaking a `switch`.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind, as written in logs.
        package let description: String
        /// What happened, for people who don't know the names.
        let words: String

        private init(_ description: String, _ words: String) {
            self.description = description
            self.words = words
        }

        /// The server refused a statement; `sqlState` says why.
        package static let server = Code("server", "the server refused it")
        /// The connection is lost; `sqlState` is set if the server said why.
        package static let connectionLost = Code("connectionLost", "the connection is lost")
        /// No connection could be made.
        ///
        /// Also thrown while the pool pauses before it tries again.
        package static let connectFailed = Code("connectFailed", "no connection could be made")
        /// The connection string or a setting can't be read.
        package static let invalidConfiguration = Code(
            "invalidConfiguration", "the connection string, or a setting of it, is wrong")
        /// No answer came within the deadline; the connection was closed.
        package static let deadlineExceeded = Code("deadlineExceeded", "no answer came in time")
        /// Nobody wants the answer any more, since the program ends; the connection was closed.
        package static let interrupted = Code("interrupted", "the program ends")
        /// The pool is closed.
        package static let poolClosed = Code("poolClosed", "the connections are closed")
        /// No connection became free within the pool's lease timeout.
        package static let leaseTimeout = Code("leaseTimeout", "no connection became free in time")
        /// A column is missing, is NULL, or has another type or a wrong form; `reason` names it.
        package static let decoding = Code("decoding", "an answer is not what was expected")
        /// More than 65,535 parameters, or more than 1 GiB of them: use arrays and fewer rows.
        package static let tooManyParameters = Code("tooManyParameters", "there are too many parameters")
        /// The statement was a COPY, which this client does not support; the connection was closed.
        package static let copyRefused = Code("copyRefused", "COPY is not supported")
        /// A transaction was begun inside another one.
        package static let transactionInProgress = Code("transactionInProgress", "a transaction is under way")
        /// The work is committed, but perhaps not on a synchronous standby: the wait for it was cancelled.
        ///
        /// If the standby takes over now, the work can be lost. `isOutcomeUnknown` is set.
        package static let notReplicated = Code(
            "notReplicated", "it is committed, but perhaps not on a synchronous standby")
        /// The transaction had ended before its COMMIT, for an unknown reason.
        package static let transactionAborted = Code(
            "transactionAborted", "the transaction had ended before its COMMIT")
    }
}
