import CLibPQ

extension PostgresError {
    /// Reads a failed result.
    ///
    /// Of the texts only what `ServerMessage` lets through is read: others can contain values of rows.
    init(result: OpaquePointer?, connectionIsBad: Bool) {
        func field(_ code: Int32) -> String? {
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        let sqlState = field(CLIBPQ_DIAG_SQLSTATE).flatMap(SQLState.init)
        let severity = field(CLIBPQ_DIAG_SEVERITY)
        // FATAL and PANIC end the session, whatever the code. If there is no code, the error is libpq's own.
        let ended = severity == "FATAL" || severity == "PANIC" || (sqlState == nil && connectionIsBad)
        self.init(
            ended ? .connectionLost : .server,
            sqlState: sqlState,
            constraint: field(CLIBPQ_DIAG_CONSTRAINT_NAME),
            message: ServerMessage.text(of: result, sqlState)
        )
        position = field(CLIBPQ_DIAG_STATEMENT_POSITION).flatMap { Int($0) }
    }
}
