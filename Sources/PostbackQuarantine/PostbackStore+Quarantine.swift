import AdAttribution
package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// Stores refused bodies in the quarantine, and deletes rows of the lowest rank if a half is beyond its limits.
    ///
    /// A transaction that Apple signed has one row. It keeps the first body and the last one that raised the value by
    /// the rules of counting. Counted one after the other, these two give the same value as all bodies of the
    /// transaction. Other bodies have one row for each body, reason and detail.
    ///
    /// The rows are durable when this returns, and each half is within its limits.
    package func quarantine(_ rejected: [RejectedPostback]) async throws {
        let batch = RejectedPostbackBatch(rejected)
        guard !batch.isEmpty else { return }
        let limits = quarantineLimits
        try await pool.withTransaction("quarantine_postbacks") { connection in
            var usage = try QuarantineUsage(over: connection)
            let held = try Self.held(batch.protectedKeys, over: connection)
            for row in try connection.query(QuarantineStatements.insertOrCount, batch.bindings(onTopOf: held)) {
                var columns = ColumnCursor(row)
                let key: [UInt8] = try columns.next()
                let isProtected: Bool = try columns.next()
                let weight: Int64 = try columns.next()
                let isNew: Bool = try columns.next()
                if isNew {
                    usage.add(rows: 1, bytes: weight, isProtected: isProtected)
                } else if let before = held[key] {
                    usage.add(rows: 0, bytes: weight - before.weight, isProtected: isProtected)
                }
            }
            try usage.trim(to: limits, over: connection)
            try usage.save(over: connection)
        }
    }

    private static func held(
        _ keys: Set<[UInt8]>, over connection: isolated PostgresConnection
    ) throws -> [[UInt8]: RejectedPostbackBatch.Held] {
        guard !keys.isEmpty else { return [:] }
        var bindings = PostgresBindings()
        bindings.append(byteas: Array(keys))
        var held: [[UInt8]: RejectedPostbackBatch.Held] = [:]
        for row in try connection.query(QuarantineStatements.held, bindings) {
            var columns = ColumnCursor(row)
            let key: [UInt8] = try columns.next()
            let fine: Int16? = try columns.next()
            let coarse: String? = try columns.next()
            let value =
                fine.flatMap { ConversionValue(Int64($0)) }.map(ReportedConversionValue.fine)
                ?? coarse.flatMap(CoarseConversionValue.init(rawValue:)).map(ReportedConversionValue.coarse)
            held[key] = RejectedPostbackBatch.Held(value: value ?? .none, weight: try columns.next())
        }
        return held
    }

    /// The quarantined bodies of both halves in the order of their first receipt.
    ///
    /// A body is returned once, even if it was refused for several reasons. If rows are added or deleted between two
    /// pages, no other row is left out or repeated.
    /// - Parameters:
    ///   - last: The last body of the page before; nil for the first page.
    ///   - limit: The greatest number of bodies.
    package func quarantinedBodies(after last: QuarantinedBody?, limit: Int) async throws -> [QuarantinedBody] {
        var bindings = PostgresBindings()
        bindings.append(last?.firstSeenAt ?? PostgresTimestamp(microsecondsSince2000: .min))
        bindings.append(bytea: last?.key ?? [])
        bindings.append(Int64(limit))
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(QuarantineStatements.page, parameters).map(QuarantinedBody.init)
        }
    }

    /// Removes bodies from the quarantine, whatever they were refused for.
    ///
    /// If the row of a transaction got another body since it was read, the row stays: that body would be lost.
    /// - Returns: The number of rows that were removed.
    @discardableResult
    package func removeFromQuarantine(_ bodies: [QuarantinedBody]) async throws -> Int {
        guard !bodies.isEmpty else { return 0 }
        let transactions = bodies.filter(\.isProtected)
        var bodyBindings = PostgresBindings()
        bodyBindings.append(byteas: bodies.flatMap { $0.deliveries.map { SHA256.digest($0.body) } })
        var transactionBindings = PostgresBindings()
        transactionBindings.append(byteas: transactions.map(\.key))
        transactionBindings.append(byteas: transactions.map { SHA256.digest($0.first.body) })
        transactionBindings.append(byteas: transactions.map { $0.raised.map { SHA256.digest($0.body) } })
        let removals = [
            (QuarantineStatements.removeBodies, bodyBindings),
            (QuarantineStatements.removeTransactions, transactionBindings),
        ]
        return try await pool.withTransaction("remove_from_quarantine") { connection in
            var usage = try QuarantineUsage(over: connection)
            var removed = 0
            for (statement, bindings) in removals {
                for row in try connection.query(statement, bindings) {
                    var columns = ColumnCursor(row)
                    let isProtected: Bool = try columns.next()
                    usage.add(rows: -1, bytes: -(try columns.next(Int64.self)), isProtected: isProtected)
                    removed += 1
                }
            }
            try usage.save(over: connection)
            return removed
        }
    }

    /// The number of rows in the quarantine.
    package func quarantineRows() async throws -> Int64 {
        try await pool.withConnection { connection in
            try connection.query(QuarantineStatements.countRows).first?.decode(Int64.self, at: 0) ?? 0
        }
    }
}
