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

    /// How many rows the quarantine holds.
    public func quarantineRows() async throws -> Int64 {
        try await pool.withConnection { connection in
            try connection.query(QuarantineStatements.countRows).first?.decode(Int64.self, at: 0) ?? 0
        }
    }
}

/// The running size of the quarantine's two halves, while its lock is held.
private struct QuarantineUsage {
    private struct Half {
        var rows: Int64 = 0
        var bytes: Int64 = 0
    }

    private var halves: [Bool: Half] = [:]

    init(over connection: isolated PostgresConnection) throws {
        for row in try connection.query(QuarantineStatements.lockUsage) {
            var columns = ColumnCursor(row)
            let isKnown: Bool = try columns.next()
            halves[isKnown] = Half(rows: try columns.next(), bytes: try columns.next())
        }
    }

    mutating func add(_ bytes: Int64, isKnown: Bool) {
        halves[isKnown, default: Half()].rows += 1
        halves[isKnown, default: Half()].bytes += bytes
    }

    /// Deletes the oldest rows, and no more of them than it takes, until both halves are within the limits.
    mutating func trim(to limits: QuarantineLimits, over connection: isolated PostgresConnection) throws {
        for isKnown in [false, true] {
            while let half = halves[isKnown], half.rows > limits.maximumRows || half.bytes > limits.maximumBytes {
                var bindings = PostgresBindings()
                bindings.append(isKnown)
                bindings.append(half.rows - limits.maximumRows)
                bindings.append(half.bytes - limits.maximumBytes)
                let deleted = try connection.query(QuarantineStatements.deleteOldest, bindings)
                guard !deleted.isEmpty else { break }
                for row in deleted {
                    halves[isKnown]?.rows -= 1
                    halves[isKnown]?.bytes -= try row.decode(Int64.self, at: 0)
                }
            }
        }
    }

    func save(over connection: isolated PostgresConnection) throws {
        for (isKnown, half) in halves {
            var bindings = PostgresBindings()
            bindings.append(isKnown)
            bindings.append(half.rows)
            bindings.append(half.bytes)
            _ = try connection.query(QuarantineStatements.updateUsage, bindings)
        }
    }
}
