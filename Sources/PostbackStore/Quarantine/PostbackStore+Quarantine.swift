import PostgresClient

extension PostbackStore {
    /// Keeps refused bodies, one row for each body and reason, and lets the oldest go where a limit is passed.
    ///
    /// Durable when this returns. The limits hold at the end of each call.
    public func quarantine(_ rejected: [RejectedPostback]) async throws {
        let batch = RejectedPostbackBatch(rejected)
        guard !batch.entries.isEmpty else { return }
        let limits = quarantineLimits
        try await pool.withTransaction("quarantine_postbacks") { connection in
            var usage = try QuarantineUsage(over: connection)
            for row in try connection.query(QuarantineStatements.insertOrCount, batch.bindings) {
                var columns = ColumnCursor(row)
                let isKnown: Bool = try columns.next()
                let bytes: Int64 = try columns.next()
                let isNew: Bool = try columns.next()
                if isNew { usage.add(bytes, isKnown: isKnown) }
            }
            try usage.trim(to: limits, over: connection)
            try usage.save(over: connection)
        }
    }

    /// Quarantined bodies in the order of their first receipt, so many behind the given one.
    ///
    /// A body stands once, whatever number of reasons it was refused for. Rows that come or go meanwhile make no page
    /// skip or repeat one that stays.
    public func quarantinedBodies(after last: QuarantinedBody?, limit: Int) async throws -> [QuarantinedBody] {
        var bindings = PostgresBindings()
        bindings.append(last?.firstSeenAt ?? PostgresTimestamp(microsecondsSince2000: .min))
        bindings.append(bytea: last?.digest ?? [])
        bindings.append(Int64(limit))
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(QuarantineStatements.page, parameters).map(QuarantinedBody.init)
        }
    }

    /// Takes bodies out of the quarantine, under every reason.
    ///
    /// - Returns: how many rows went.
    @discardableResult
    public func removeFromQuarantine(_ bodies: [QuarantinedBody]) async throws -> Int {
        guard !bodies.isEmpty else { return 0 }
        var bindings = PostgresBindings()
        bindings.append(byteas: bodies.map(\.digest))
        let parameters = bindings
        return try await pool.withTransaction("remove_from_quarantine") { connection in
            var usage = try QuarantineUsage(over: connection)
            let rows = try connection.query(QuarantineStatements.remove, parameters)
            for row in rows {
                var columns = ColumnCursor(row)
                let isKnown: Bool = try columns.next()
                usage.remove(try columns.next(), isKnown: isKnown)
            }
            try usage.save(over: connection)
            return rows.count
        }
    }

    /// How many rows the quarantine holds.
    public func quarantineRows() async throws -> Int64 {
        try await pool.withConnection { connection in
            try connection.query(QuarantineStatements.countRows).first?.decode(Int64.self, at: 0) ?? 0
        }
    }
}
