import PostgresClient

/// What loading a table of the operator did to the stored one, in rows.
package struct RowChanges: Sendable, Equatable {
    /// New rows.
    package var added: Int64 = 0
    /// Rows that were stored with other values, and rows of the mapping that another row ends earlier.
    package var changed: Int64 = 0
    /// Rows that were stored with the same values.
    package var unchanged: Int64 = 0
    /// Stored rows that were removed, since the file does not have them.
    package var removed: Int64 = 0

    /// Takes the numbers.
    package init(added: Int64 = 0, changed: Int64 = 0, unchanged: Int64 = 0, removed: Int64 = 0) {
        self.added = added
        self.changed = changed
        self.unchanged = unchanged
        self.removed = removed
    }

    /// Reads the columns `added`, `changed`, `unchanged` and `removed`.
    init(_ columns: inout ColumnCursor) throws {
        self.init(
            added: try columns.next(), changed: try columns.next(), unchanged: try columns.next(),
            removed: try columns.next())
    }

    /// Whether no row is added, changed or removed.
    package var isEmpty: Bool { added == 0 && changed == 0 && removed == 0 }

    /// Whether something that was stored is lost.
    package var losesRows: Bool { changed > 0 || removed > 0 }

    /// The numbers with their names.
    var counts: [(name: String, count: Int64)] {
        [("added", added), ("changed", changed), ("unchanged", unchanged), ("removed", removed)]
    }

    /// The numbers in words, such as `5 added, 0 changed, 2 unchanged, 0 removed`.
    package var text: String { "\(added) added, \(changed) changed, \(unchanged) unchanged, \(removed) removed" }
}
