import PostgresClient

/// What loading a table of the operator did to the stored one, in rows.
package struct RowChanges: Sendable, Equatable {
    /// New rows.
    package var added = 0
    /// Rows that were stored with other values.
    package var changed = 0
    /// Rows that were stored with the same values.
    package var unchanged = 0
    /// Stored rows that were removed, since the file does not have them.
    package var removed = 0

    /// Takes the numbers.
    package init(added: Int = 0, changed: Int = 0, unchanged: Int = 0, removed: Int = 0) {
        self.added = added
        self.changed = changed
        self.unchanged = unchanged
        self.removed = removed
    }

    /// Counts the rows that a statement has written, each with the mark of a new one; all others of a file are
    /// unchanged.
    init(of count: Int, written: some Sequence<PostgresRow>, removed: Int = 0) throws {
        for row in written {
            if try row.decode(Bool.self, at: 0) { added += 1 } else { changed += 1 }
        }
        unchanged = count - added - changed
        self.removed = removed
    }
}
