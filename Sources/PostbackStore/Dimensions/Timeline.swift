import PostgresClient

/// The history of the database, which begins anew when a standby takes over: PostgreSQL's timeline.
///
/// A standby may lack the last rows of the old primary, and may give their numbers to others. So what was read on one
/// timeline must not be used on another one.
struct Timeline: Sendable, Hashable {
    /// Eight hexadecimal digits; empty if nothing was read yet, or on a standby, which has no timeline of its own.
    let text: String

    /// Before anything was read.
    static let unknown = Timeline(text: "")

    init(text: String) {
        self.text = text
    }

    /// The present timeline as an SQL expression.
    ///
    /// It begins the name of the file to which the write-ahead log is written.
    static let expression = """
        CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END
        """

    private static let select = PostgresStatement("timeline", "SELECT \(expression)")

    /// Reads the present timeline as the last step of a transaction.
    static let reading = PostgresPipelineStep(select)

    /// The present timeline, in a transaction that writes or locks, so that no other one begins before its end.
    static func read(over connection: isolated PostgresConnection) throws -> Timeline {
        try Timeline(connection.query(select))
    }

    /// The timeline that `reading` has returned.
    init(_ result: PostgresResult) throws {
        text = try result.first?.decode(String.self, at: 0) ?? ""
    }
}

/// A standby has taken over: numbers that were read before must be read again.
struct OtherTimeline: Error, CustomStringConvertible {
    var description: String { "another database server has taken over" }
}
