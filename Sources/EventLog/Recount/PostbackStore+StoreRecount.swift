package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// Compares the transactions of the App Store with the bodies of notifications that are still there.
    ///
    /// It is one snapshot and takes no lock, so servers may store notifications meanwhile. Nothing is mended.
    ///
    /// - Parameter report: Called for each column that differs, in the order of transactions.
    /// - Returns: How many columns differ; nil if there is no body.
    /// - Throws: What `report` throws, or an error of the database.
    package func recountAppStore(
        _ report: @Sendable (StoreDifference) throws -> Void = { _ in }
    ) async throws -> Int64? {
        // Not `withTransaction`, which may run a body twice: what was reported can't be taken back.
        try await pool.withConnection { connection in
            try connection.transaction(
                "recount_app_store", isolation: .repeatableRead, statementTimeout: Self.recountTimeout
            ) { connection in
                guard try connection.query(RecountStatements.hasStoreBodies).first?.decode(Bool.self, at: 0) == true
                else { return nil }
                var differences: Int64 = 0
                try connection.query(RecountStatements.beginStore)
                while true {
                    let rows = try connection.query(RecountStatements.takeStore)
                    guard !rows.isEmpty else { return differences }
                    for row in rows {
                        differences += 1
                        try report(StoreDifference(row))
                    }
                }
            }
        }
    }
}

extension StoreDifference {
    fileprivate init(_ row: PostgresRow) throws(PostgresError) {
        var columns = ColumnCursor(row)
        environment = try columns.next()
        transactionID = try columns.next()
        field = try columns.next()
        stored = try columns.next()
        recounted = try columns.next()
    }
}
