package import PostbackStore
package import PostgresClient

extension QuarantineLimits {
    /// The limits of each half of the quarantine of notifications: 10,000 rows and 64 MiB.
    package static let ofNotifications = QuarantineLimits(maximumRows: 10_000, maximumBytes: 64 << 20)
}

extension PostbackStore {
    /// Stores refused notifications in the quarantine.
    ///
    /// Genuine notifications are in the protected half, in one row for each. All other bodies have one row for each
    /// reason. If a half is beyond its limits, the rows that were not seen for the longest time are removed. In the
    /// protected half they are those of the app with the most bytes.
    ///
    /// The rows are durable when this returns, and each half is within its limits.
    ///
    /// - Parameters:
    ///   - rejected: Bodies without their secrets.
    ///   - limits: The greatest number of rows in each half, and of bytes: bodies, rules, and 512 for each row.
    package func quarantine(
        _ rejected: [RejectedNotification], limits: QuarantineLimits = .ofNotifications
    ) async throws {
        let batch = RejectedNotificationBatch(rejected)
        guard !batch.isEmpty else { return }
        try await pool.withTransaction("quarantine_notifications") { connection in
            let done = try connection.pipeline([
                PostgresPipelineStep(RejectedNotificationStatements.lock), batch.insertOrCount,
                PostgresPipelineStep(RejectedNotificationStatements.sizes),
            ])
            guard let sizes = done.last else { return }
            for size in sizes {
                var columns = ColumnCursor(size)
                let isProtected: Bool = try columns.next()
                var rows: Int64 = try columns.next()
                var bytes: Int64 = try columns.next()
                let deletion =
                    isProtected
                    ? RejectedNotificationStatements.deleteProtected : RejectedNotificationStatements.deleteOthers
                while rows > limits.maximumRows || bytes > limits.maximumBytes {
                    var bindings = PostgresBindings()
                    bindings.append(rows - limits.maximumRows)
                    bindings.append(bytes - limits.maximumBytes)
                    let deleted = try connection.query(deletion, bindings)
                    guard !deleted.isEmpty else { break }
                    for row in deleted {
                        rows -= 1
                        bytes -= try row.decode(Int64.self, at: 0)
                    }
                }
            }
        }
    }

    /// Deletes refused notifications that were not seen since a time: their bodies may have ids of customers.
    ///
    /// - Returns: The number of rows that were deleted.
    @discardableResult
    package func dropRejectedNotifications(before time: PostgresTimestamp) async throws -> Int {
        var bindings = PostgresBindings()
        bindings.append(time)
        return try await change(RejectedNotificationStatements.removeOld, bindings)
    }

    /// Removes the source addresses of refused notifications that came first before a time.
    ///
    /// - Returns: The number of rows that had one.
    @discardableResult
    package func forgetNotificationAddresses(before time: PostgresTimestamp) async throws -> Int {
        var bindings = PostgresBindings()
        bindings.append(time)
        return try await change(RejectedNotificationStatements.forgetAddresses, bindings)
    }

    /// Removes a source address from refused notifications.
    ///
    /// - Returns: The number of rows that had it.
    package func forgetNotifications(of address: IPAddress) async throws -> Int {
        var bindings = PostgresBindings()
        bindings.append("\(address)")
        return try await change(RejectedNotificationStatements.forgetAddress, bindings)
    }

    /// Runs a statement alone; returns the number of rows that it changed.
    private func change(_ statement: PostgresStatement, _ bindings: PostgresBindings) async throws -> Int {
        try await pool.withStatement("change_rejected_notifications") { connection in
            try connection.query(statement, bindings).affectedRows
        }
    }
}
