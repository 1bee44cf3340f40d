package import PostbackStore
package import PostgresClient

/// How long drafts of the page are kept, and how many.
package enum PageDraftLimits {
    /// The time after which a draft is removed, in hours.
    package static let hours = 1
    /// The greatest number of drafts, of which the oldest leaves first.
    ///
    /// A session has one for each screen.
    package static let count = 64
}

extension PostbackStore {
    /// Keeps a draft, in place of an older one of the same session and path.
    ///
    /// - Parameters:
    ///   - fields: Names and texts of the fields, as a browser encodes them.
    ///   - session: The key of the session, as the table of sessions has it.
    func keepPageDraft(
        _ fields: String, hasFiles: Bool, of session: [UInt8], path: String, at time: PostgresTimestamp
    ) async throws {
        var bindings = PageDraftStatements.bindings(session, path)
        bindings.append(fields)
        bindings.append(hasFiles)
        bindings.append(time)
        let parameters = bindings
        try await pool.withTransaction("keep_page_draft") { connection in
            // Several servers may do this at once.
            _ = try connection.query(PageDraftStatements.lock)
            _ = try connection.query(PageDraftStatements.keep, parameters)
            _ = try connection.query(PageDraftStatements.removeMost)
        }
    }

    /// The draft of a session for a path; nil if there is none.
    func pageDraft(
        of session: [UInt8], path: String, at time: PostgresTimestamp
    ) async throws -> (fields: String, hasFiles: Bool)? {
        var bindings = PageDraftStatements.bindings(session, path)
        bindings.append(time)
        let parameters = bindings
        return try await pool.withStatement("page_draft") { connection in
            try connection.query(PageDraftStatements.find, parameters).first.map { row in
                (fields: try row.decode(String.self, at: 0), hasFiles: try row.decode(Bool.self, at: 1))
            }
        }
    }

    /// Whether a session has a draft.
    func hasPageDrafts(of session: [UInt8], at time: PostgresTimestamp) async throws -> Bool {
        var bindings = PostgresBindings()
        bindings.append(bytea: session)
        bindings.append(time)
        let parameters = bindings
        return try await pool.withStatement("page_drafts") { connection in
            try !connection.query(PageDraftStatements.any, parameters).isEmpty
        }
    }

    /// Gives the drafts of a session to one that has none.
    func passPageDrafts(of session: [UInt8], to other: [UInt8]) async throws {
        var bindings = PostgresBindings()
        bindings.append(bytea: session)
        bindings.append(bytea: other)
        let parameters = bindings
        try await pool.withTransaction("pass_page_drafts") { connection in
            _ = try connection.query(PageDraftStatements.pass, parameters)
        }
    }

    /// Removes the draft of a session for a path.
    func removePageDraft(of session: [UInt8], path: String) async throws {
        let parameters = PageDraftStatements.bindings(session, path)
        try await pool.withTransaction("remove_page_draft") { connection in
            _ = try connection.query(PageDraftStatements.remove, parameters)
        }
    }

    /// Removes drafts that are older than an hour.
    package func removeOldPageDrafts(at time: PostgresTimestamp) async throws {
        var bindings = PostgresBindings()
        bindings.append(time)
        let parameters = bindings
        try await pool.withTransaction("remove_old_page_drafts") { connection in
            _ = try connection.query(PageDraftStatements.removeOld, parameters)
        }
    }
}

/// The statements about drafts.
///
/// Times are parameters.
private enum PageDraftStatements {
    static let lock = PostgresStatement(
        "page_draft_lock", "LOCK TABLE attribution.page_draft IN SHARE ROW EXCLUSIVE MODE")

    static let keep = PostgresStatement(
        "page_draft_keep",
        """
        INSERT INTO attribution.page_draft (session_key, path, fields, has_files, kept_at)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT ON CONSTRAINT page_draft_key DO UPDATE
           SET fields = EXCLUDED.fields, has_files = EXCLUDED.has_files, kept_at = EXCLUDED.kept_at
        """)

    static let removeMost = PostgresStatement(
        "page_draft_remove_most",
        """
        DELETE FROM attribution.page_draft
         WHERE (session_key, path) IN (SELECT session_key, path FROM attribution.page_draft
                                        ORDER BY kept_at DESC, session_key, path OFFSET \(PageDraftLimits.count))
        """)

    static let find = PostgresStatement(
        "page_draft_find",
        """
        SELECT fields, has_files FROM attribution.page_draft
         WHERE session_key = $1 AND path = $2 AND kept_at > $3 - interval '\(PageDraftLimits.hours) hours'
        """)

    static let any = PostgresStatement(
        "page_draft_any",
        """
        SELECT FROM attribution.page_draft
         WHERE session_key = $1 AND kept_at > $2 - interval '\(PageDraftLimits.hours) hours'
         LIMIT 1
        """)

    static let pass = PostgresStatement(
        "page_draft_pass", "UPDATE attribution.page_draft SET session_key = $2 WHERE session_key = $1")

    static let remove = PostgresStatement(
        "page_draft_remove", "DELETE FROM attribution.page_draft WHERE session_key = $1 AND path = $2")

    static let removeOld = PostgresStatement(
        "page_draft_remove_old",
        "DELETE FROM attribution.page_draft WHERE kept_at <= $1 - interval '\(PageDraftLimits.hours) hours'")

    static func bindings(_ session: [UInt8], _ path: String) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(bytea: session)
        bindings.append(path)
        return bindings
    }
}
