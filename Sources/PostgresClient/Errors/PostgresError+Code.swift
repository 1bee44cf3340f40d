extension PostgresError {
    /// The kind of a failure; open, so that a kind can be added without breaking a `switch`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind, as written in logs.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The server refused a statement; `sqlState` tells why.
        public static let server = Code("server")
        /// The connection is gone; `sqlState` is set if the server said why.
        public static let connectionLost = Code("connectionLost")
        /// No connection could be made; also while the pool waits before it tries again.
        public static let connectFailed = Code("connectFailed")
        /// The connection string cannot be read, or a setting is out of form.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// No answer within the deadline; the connection was closed.
        public static let deadlineExceeded = Code("deadlineExceeded")
        /// The pool is closed.
        public static let poolClosed = Code("poolClosed")
        /// No connection became free within the pool's lease timeout.
        public static let leaseTimeout = Code("leaseTimeout")
        /// A column is missing, NULL, of another type or out of form; `reason` names it.
        public static let decoding = Code("decoding")
        /// More than 65,535 parameters, or more than 1 GiB of them: use arrays and fewer rows.
        public static let tooManyParameters = Code("tooManyParameters")
        /// The statement was a COPY, which this client does not speak; the connection was closed.
        public static let copyRefused = Code("copyRefused")
        /// A transaction was begun inside another one.
        public static let transactionInProgress = Code("transactionInProgress")
        /// The transaction was over before its COMMIT, and nothing tells why.
        public static let transactionAborted = Code("transactionAborted")
    }
}
