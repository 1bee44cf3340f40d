package import PostbackStore
import PostgresClient
import TabularFiles

extension PostbackStore {
    /// Stores the rows of a file: all or none.
    ///
    /// A stored row with the same conditions and the same first day is replaced. A stored row without a last day ends
    /// the day before the next one with the same conditions begins.
    ///
    /// - Parameters:
    ///   - source: Who loads it, and the file.
    ///   - isReplacing: Whether other rows of the operator, of the networks that the file names, are removed.
    ///   - ending: `.rollback` stores nothing, and only says what would be done.
    /// - Throws: `TableErrors` if a row could tie with a stored one; `ChangedLoad` if it was confirmed, and would do
    ///   something else now.
    package func load(
        _ file: CampaignMappingFile, from source: LoadSource, replacing isReplacing: Bool = false,
        ending: LoadEnding = .commit
    ) async throws -> LoadOutcome {
        let rows = MappingStatements.bindings(file.entries.map(\.mapping))
        return try await loadRows(
            "load_mapping", of: .mapping, MappingStatements.note, rows, from: source, removingOthers: isReplacing,
            ending: ending
        ) { connection in
            let ties = try connection.query(MappingStatements.ties, rows).map { try Self.tie($0, file) }
            guard ties.isEmpty else { throw TableErrors(ties) }
        }
    }

    private static func tie(_ row: PostgresRow, _ file: CampaignMappingFile) throws -> TableError {
        var columns = ColumnCursor(row)
        let ordinal: Int64 = try columns.next()
        let from: PostgresDate = try columns.next()
        let to: PostgresDate? = try columns.next()
        // Ordinals count from 1.
        let entry = file.entries.indices.contains(Int(ordinal) - 1) ? file.entries[Int(ordinal) - 1] : nil
        return TableError(
            line: entry?.line ?? 0, field: CampaignMapping.Column.validFrom.name,
            rule:
                "a stored row has the same conditions, and its days, \(from) to \(to?.description ?? "open"), overlap "
                + "with these")
    }
}
