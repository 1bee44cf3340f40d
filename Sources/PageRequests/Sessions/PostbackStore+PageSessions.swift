package import PostbackStore
package import PostgresClient

/// How long a session of the page lasts, and how many there are.
package struct PageSessionLimits: Sendable, Equatable {
    /// The greatest time without a request, in minutes.
    package static let idleMinutes = 30
    /// The greatest time since the sign-in, in hours.
    package static let wholeHours = 12
    /// The greatest number of sessions; the one that was not used for the longest time ends first.
    package static let count = 1_000
}

extension PostbackStore {
    /// Begins a session of the page.
    ///
    /// - Parameter key: 32 bytes that tell the session from all others, and from which nobody can make its secret.
    package func openPageSession(_ key: [UInt8], at time: PostgresTimestamp) async throws {
        let parameters = PageSessionStatements.bindings(key, time)
        try await pool.withTransaction("open_page_session") { connection in
            // Several servers may do this at once.
            _ = try connection.query(PageSessionStatements.lock)
            _ = try connection.query(PageSessionStatements.removeOld, PageSessionStatements.bindings(time))
            _ = try connection.query(PageSessionStatements.insert, parameters)
        }
    }

    /// Whether a session is open; if so, it was used now.
    package func usePageSession(_ key: [UInt8], at time: PostgresTimestamp) async throws -> Bool {
        let parameters = PageSessionStatements.bindings(key, time)
        return try await pool.withStatement("use_page_session") { connection in
            try !connection.query(PageSessionStatements.use, parameters).isEmpty
        }
    }

    /// Whether a session is open; this is no use of it.
    package func isPageSessionOpen(_ key: [UInt8], at time: PostgresTimestamp) async throws -> Bool {
        let parameters = PageSessionStatements.bindings(key, time)
        return try await pool.withStatement("page_session_open") { connection in
            try !connection.query(PageSessionStatements.find, parameters).isEmpty
        }
    }

    /// Ends a session.
    package func closePageSession(_ key: [UInt8]) async throws {
        var bindings = PostgresBindings()
        bindings.append(bytea: key)
        let parameters = bindings
        try await pool.withTransaction("close_page_session") { connection in
            _ = try connection.query(PageSessionStatements.delete, parameters)
        }
    }
}

/// The statements about sessions of the page.
///
/// Times are parameters.
private enum PageSessionStatements {
    private static let isOpen = """
        seen_at > $2 - interval '\(PageSessionLimits.idleMinutes) minutes'
           AND signed_in_at > $2 - interval '\(PageSessionLimits.wholeHours) hours'
        """

    static let lock = PostgresStatement(
        "page_session_lock", "LOCK TABLE attribution.page_session IN SHARE ROW EXCLUSIVE MODE")

    static let removeOld = PostgresStatement(
        "page_session_remove_old",
        """
        DELETE FROM attribution.page_session
         WHERE seen_at <= $1 - interval '\(PageSessionLimits.idleMinutes) minutes'
            OR signed_in_at <= $1 - interval '\(PageSessionLimits.wholeHours) hours'
            OR key IN (SELECT key FROM attribution.page_session ORDER BY seen_at DESC, key
                       OFFSET \(PageSessionLimits.count - 1))
        """)

    static let insert = PostgresStatement(
        "page_session_insert",
        "INSERT INTO attribution.page_session (key, signed_in_at, seen_at) VALUES ($1, $2, $2)")

    /// A row is written once a minute at most.
    static let use = PostgresStatement(
        "page_session_use",
        """
        WITH used AS (
            UPDATE attribution.page_session SET seen_at = $2
             WHERE key = $1 AND seen_at <= $2 - interval '1 minute' AND \(isOpen))
        SELECT FROM attribution.page_session WHERE key = $1 AND \(isOpen)
        """)

    static let find = PostgresStatement(
        "page_session_find", "SELECT FROM attribution.page_session WHERE key = $1 AND \(isOpen)")

    static let delete = PostgresStatement(
        "page_session_delete", "DELETE FROM attribution.page_session WHERE key = $1")

    static func bindings(_ key: [UInt8], _ time: PostgresTimestamp) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(bytea: key)
        bindings.append(time)
        return bindings
    }

    static func bindings(_ time: PostgresTimestamp) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(time)
        return bindings
    }
}
