import Encodings
package import PostgresClient

/// What somebody was shown of a load before it was stored.
package struct LoadConfirmation: Sendable, Equatable {
    /// SHA-256 of all rows that it would change, before and after, 32 bytes.
    package let digest: [UInt8]
    /// The numbers of rows.
    package let changes: RowChanges
    /// When it was shown.
    package let shownAt: PostgresTimestamp

    /// The end of the year 9999 in microseconds since 2000; PostgreSQL refuses some times after that.
    private static let end: Int64 = 252_455_616_000_000_000

    init(digest: [UInt8], changes: RowChanges, shownAt: PostgresTimestamp) {
        (self.digest, self.changes, self.shownAt) = (digest, changes, shownAt)
    }

    /// Reads such a text as `text` is.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().compactMap { Int64($0) }
        guard parts.count == 6, numbers.count == 5, let digest = Hexadecimal.bytes(String(parts[0])),
            digest.count == 32, numbers.allSatisfy({ $0 >= 0 }), numbers[4] < Self.end
        else { return nil }
        self.init(
            digest: digest,
            changes: RowChanges(added: numbers[0], changed: numbers[1], unchanged: numbers[2], removed: numbers[3]),
            shownAt: PostgresTimestamp(microsecondsSince2000: numbers[4]))
    }

    /// The text that a form carries: the digest, four numbers of rows, and microseconds since 2000.
    package var text: String {
        let numbers = [
            changes.added, changes.changed, changes.unchanged, changes.removed, shownAt.microsecondsSince2000,
        ]
        return ([Hexadecimal.text(digest)] + numbers.map { "\($0)" }).joined(separator: ".")
    }
}

/// A load would not do any more what somebody was shown.
package struct ChangedLoad: Error, Sendable, CustomStringConvertible {
    /// What was shown.
    let shown: RowChanges
    /// What it would do now.
    package let now: LoadOutcome
    /// Later loads of the same kind, and those that were taken back since, the newest first.
    let loads: [StoredLoad]
    /// Rows that were written since, and that the load would change.
    let rows: [String]

    /// What has changed, and by what.
    package var description: String {
        let causes = loads.map(\.text) + rows.map { "this row was written: \($0)" }
        let cause =
            causes.isEmpty
            ? "rows were removed, or written by other means than a load"
            : causes.joined(separator: "; ")
        return
            "what is stored has changed since this was shown. Then it would have \(shown.wouldHave), now it would have "
            + "\(now.changes.wouldHave). What happened since: \(cause)"
    }
}

extension RowChanges {
    /// Such as "added 5, changed 3, removed 44 and left 2 as they are".
    fileprivate var wouldHave: String { "added \(added), changed \(changed), removed \(removed) and left \(unchanged)" }
}
