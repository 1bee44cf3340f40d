import Access
package import PostbackStore
package import PostgresClient

/// Which entries of the trail are meant.
package struct TrailQuestion: Sendable {
    /// Only those before this number; nil for all.
    package var before: Int64?
    /// Only this action; nil for all.
    package var action: String?
    /// Only of this person, as the trail has it; nil for all.
    package var person: String?

    /// All entries.
    package init() {}
}

extension PostbackStore {
    /// The fewest days for which an entry of the trail stays; the function of the database has the same number.
    package static let leastTrailDays: Int32 = 30

    /// Adds an entry in a transaction of its own.
    package func note(_ entry: TrailEntry) async throws { try await note([entry]) }

    /// Adds entries, all or none.
    func note(_ entries: [TrailEntry]) async throws {
        try await pool.withTransaction("note_trail") { connection in
            for entry in entries { try Self.note(entry, over: connection) }
        }
    }

    /// Adds an entry in the transaction of what happened.
    package static func note(_ entry: TrailEntry, over connection: isolated PostgresConnection) throws {
        var bindings = PostgresBindings()
        bindings.append(entry.happenedAt)
        bindings.append(entry.since)
        bindings.append(entry.action.rawValue)
        bindings.append(entry.actor.person)
        bindings.append(entry.actor.session)
        bindings.append(entry.actor.origin)
        bindings.append(entry.subject)
        bindings.append(json: entry.countsJSON)
        _ = try connection.query(TrailStatements.insert, bindings)
    }

    /// Writes an entry into the log of a server, when its transaction is over; a command has no log.
    package func log(_ entry: TrailEntry) {
        if let trailLogger { entry.log(to: trailLogger) }
    }

    /// Adds what happened to tokens, unless another server has done so.
    ///
    /// - Parameter days: The days for which entries stay; nil for ever. What happened before that is left out, since its
    ///   entry may be gone.
    /// - Returns: The entries that are new.
    func note(_ ring: TokenRing, keptFor days: Int32?) async throws -> [TrailEntry] {
        let oldest = days.map {
            PostgresTimestamp(microsecondsSince2000: clock().microsecondsSince2000 - Int64($0) * 86_400_000_000)
        }
        let entries = ring.tokens.flatMap(TrailEntry.acts).filter { entry in
            oldest.map { entry.happenedAt > $0 } ?? true
        }
        guard !entries.isEmpty else { return [] }
        var bindings = PostgresBindings()
        bindings.append(entries.map(\.happenedAt))
        bindings.append(entries.map(\.action.rawValue))
        bindings.append(entries.map(\.actor.person))
        bindings.append(entries.map(\.actor.origin))
        bindings.append(entries.map(\.subject))
        let parameters = bindings
        let added = try await pool.withTransaction("note_tokens") { connection in
            // One server at a time.
            _ = try connection.query(TrailStatements.lockTokens)
            return try connection.query(TrailStatements.insertTokens, parameters).map { row in
                "\(try row.decode(String.self, at: 0)) \(try row.decode(String.self, at: 1))"
            }
        }
        return entries.filter { added.contains("\($0.action.rawValue) \($0.subject ?? "")") }
    }

    /// Entries of the trail, the newest first.
    ///
    /// - Parameter limit: The most entries.
    package func trail(_ question: TrailQuestion, limit: Int32) async throws -> [StoredTrailEntry] {
        var bindings = PostgresBindings()
        bindings.append(question.before)
        bindings.append(question.action)
        bindings.append(question.person)
        bindings.append(limit)
        let parameters = bindings
        return try await pool.withStatement("trail") { connection in
            try connection.query(TrailStatements.list, parameters).map(StoredTrailEntry.init)
        }
    }

    /// Removes entries that are older than some days, at least `leastTrailDays`.
    ///
    /// - Returns: How many.
    package func dropTrail(olderThan days: Int32) async throws -> Int64 {
        var bindings = PostgresBindings()
        bindings.append(days)
        let parameters = bindings
        return try await pool.withStatement("drop_trail") { connection in
            try connection.query(TrailStatements.drop, parameters).first?.decode(Int64.self, at: 0) ?? 0
        }
    }
}

extension TrailEntry {
    /// What happened to a token.
    fileprivate static func acts(of token: NamedToken) -> [TrailEntry] {
        func entry(_ action: TrailAction, _ act: NamedToken.Act) -> TrailEntry {
            TrailEntry(
                action, of: token.subject,
                by: TrailActor(person: act.person, session: nil, origin: "tokens.json"),
                at: PostgresTimestamp(millisecondsSince1970: act.time.seconds * 1_000))
        }
        return [entry(.tokenAddition, token.added)] + (token.revoked.map { [entry(.tokenRevocation, $0)] } ?? [])
    }
}

/// The statements of the trail.
private enum TrailStatements {
    static let insert = PostgresStatement(
        "trail_insert",
        """
        INSERT INTO attribution.trail (happened_at, since, action, person, session, origin, subject, counts)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """)

    static let lockTokens = PostgresStatement("trail_lock_tokens", "SELECT pg_advisory_xact_lock(7421001660)")

    static let insertTokens = PostgresStatement(
        "trail_insert_tokens",
        """
        INSERT INTO attribution.trail (happened_at, action, person, origin, subject)
        SELECT act.*
          FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[])
               AS act (happened_at, action, person, origin, subject)
         WHERE NOT EXISTS (SELECT
                             FROM attribution.trail AS known
                            WHERE known.action IN ('token-addition', 'token-revocation')
                              AND known.action = act.action AND known.subject = act.subject)
        RETURNING action, subject
        """)

    static let list = PostgresStatement(
        "trail_list",
        """
        SELECT entry, happened_at, since, action, person, session, origin, subject, counts::text,
               coalesce((SELECT string_agg(value || ' ' || key, ', ') FROM json_each_text(counts)), '')
          FROM attribution.trail
         WHERE ($1::bigint IS NULL OR entry < $1) AND ($2::text IS NULL OR action = $2)
           AND ($3::text IS NULL OR person = $3)
         ORDER BY entry DESC
         LIMIT $4
        """)

    static let drop = PostgresStatement("trail_drop", "SELECT attribution.drop_trail($1)")
}
