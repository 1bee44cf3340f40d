package import PostbackStore
package import PostgresClient
import TabularFiles

extension PostbackStore {
    /// Stores the rows of a file: all or none.
    ///
    /// A stored row with the same conditions and the same first day is replaced. A stored row without a last day ends
    /// the day before the next one with the same conditions begins.
    ///
    /// - Parameters:
    ///   - isReplacing: Whether other rows of the operator, of the networks that the file names, are removed.
    ///   - ending: `.rollback` stores nothing, and only says what would be done.
    /// - Throws: `TableRefusal` if a row could tie with a stored one.
    package func load(
        _ file: CampaignMappingFile, replacing isReplacing: Bool = false, ending: PostgresConnection.Ending = .commit
    ) async throws -> RowChanges {
        let parameters = MappingStatements.bindings(file.entries.map(\.mapping))
        return try await pool.withTransaction("load_mapping", ending: ending) { connection in
            _ = try connection.query(MappingStatements.lock)
            let removed =
                isReplacing ? try connection.query(MappingStatements.removeOthers, parameters).affectedRows : 0
            let ties = try connection.query(MappingStatements.ties, parameters).map { try Self.tie($0, file) }
            guard ties.isEmpty else { throw TableRefusal(ties) }
            return try RowChanges(
                of: file.entries.count, written: connection.query(MappingStatements.upsert, parameters),
                removed: removed)
        }
    }

    private static func tie(_ row: PostgresRow, _ file: CampaignMappingFile) throws -> TableProblem {
        var columns = ColumnCursor(row)
        let ordinal: Int64 = try columns.next()
        let from: PostgresDate = try columns.next()
        let to: PostgresDate? = try columns.next()
        // Ordinals count from 1.
        let entry = file.entries.indices.contains(Int(ordinal) - 1) ? file.entries[Int(ordinal) - 1] : nil
        return TableProblem(
            line: entry?.line ?? 0, field: CampaignMapping.Column.validFrom.name,
            rule:
                "a stored row has the same conditions, and its days, \(from) to \(to?.description ?? "open"), overlap "
                + "with these")
    }
}
