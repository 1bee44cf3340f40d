import PostgresClient
import TabularFiles

/// What loading a mapping file did, in rows.
package struct MappingLoad: Sendable, Equatable {
    /// New rows.
    package var added = 0
    /// Rows that were stored with other values.
    package var changed = 0
    /// Rows that were stored with the same values.
    package var unchanged = 0
    /// Stored rows that the file does not have, if it replaces its networks.
    package var removed = 0
}

extension PostbackStore {
    /// Stores the rows of a file: all or none.
    ///
    /// A stored row with the same conditions and the same first day is replaced. A stored row without a last day ends
    /// the day before the next one with the same conditions begins.
    ///
    /// - Parameter isReplacing: Whether other rows of the operator, of the networks that the file names, are removed.
    /// - Throws: `TableRefusal` if a row could tie with a stored one.
    package func load(_ file: CampaignMappingFile, replacing isReplacing: Bool = false) async throws -> MappingLoad {
        let parameters = MappingStatements.bindings(file.entries.map(\.mapping))
        return try await pool.withTransaction("load_mapping") { connection in
            _ = try connection.query(MappingStatements.lock)
            var load = MappingLoad()
            if isReplacing {
                load.removed = try connection.query(MappingStatements.removeOthers, parameters).affectedRows
            }
            let ties = try connection.query(MappingStatements.ties, parameters).map { try Self.tie($0, file) }
            guard ties.isEmpty else { throw TableRefusal(ties) }
            for row in try connection.query(MappingStatements.upsert, parameters) {
                if try row.decode(Bool.self, at: 0) { load.added += 1 } else { load.changed += 1 }
            }
            load.unchanged = file.entries.count - load.added - load.changed
            return load
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
