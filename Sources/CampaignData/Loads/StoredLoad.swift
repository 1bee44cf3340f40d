package import PostgresClient

/// A load, as a list shows it.
package struct StoredLoad: Sendable, Equatable {
    /// Its number.
    package let load: Int64
    /// What it is of.
    package let kind: LoadKind
    /// When it was loaded.
    package let loadedAt: PostgresTimestamp
    /// Who loaded it, as `TrailActor` says it.
    package let author: String
    /// The names of its files.
    package let files: String
    /// SHA-256 of each file, in hexadecimal digits.
    package let digests: String
    /// The numbers of rows.
    package let changes: RowChanges
    /// Whether what it changed is still noted.
    package let hasRows: Bool
    /// When it was taken back, and by whom; nil if it was not.
    package let takenBack: TakenBack?
    /// Whether it is the last one of its kind that was not taken back.
    package let isLast: Bool

    /// When a load was taken back, and by whom.
    package struct TakenBack: Sendable, Equatable {
        /// The time.
        package let time: PostgresTimestamp
        /// Who did it, as `TrailActor` says it.
        package let author: String
    }

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        load = try columns.next()
        guard let kind = LoadKind(rawValue: try columns.next()) else { throw StoredValueError(table: "load") }
        self.kind = kind
        loadedAt = try columns.next()
        author = try columns.next()
        files = try columns.next()
        digests = try columns.next()
        changes = try RowChanges(&columns)
        hasRows = try columns.next()
        let time: PostgresTimestamp? = try columns.next()
        let undoer: String? = try columns.next()
        takenBack = time.flatMap { time in undoer.map { TakenBack(time: time, author: $0) } }
        isLast = try columns.next()
    }

    /// Whether it can be taken back, if nothing else changed its rows.
    package var canBeTakenBack: Bool { isLast && hasRows }

    /// What became of it, in a few words.
    package var state: String {
        if let takenBack { return "taken back \(takenBack.time.shown) by \(takenBack.author)" }
        if !isLast { return "loaded" }
        guard hasRows else { return "loaded; past LOAD_RETENTION_DAYS" }
        return "loaded; can be taken back" + (kind == .scheme ? " unless a postback needs its schemes" : "")
    }

    /// The load in one line.
    package var text: String {
        let start = "load \(load) of \(kind.rawValue) at \(loadedAt.shown) by \(author)"
        return takenBack.map { "\(start), taken back at \($0.time.shown) by \($0.author)" } ?? start
    }
}

extension PostgresTimestamp {
    /// The time in UTC to the second, such as `2026-11-22 10:15:00`.
    package var shown: String {
        let seconds = millisecondsSince1970 >= 0 ? millisecondsSince1970 / 1_000 : (millisecondsSince1970 - 999) / 1_000
        let ofDay = (seconds % 86_400 + 86_400) % 86_400
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(PostgresDate(self)) \(two(ofDay / 3_600)):\(two(ofDay / 60 % 60)):\(two(ofDay % 60))"
    }
}
