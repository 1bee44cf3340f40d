package import Testing

/// Rows as a test states them: a line with the names of columns, then a line for each row.
///
/// Two or more spaces stand between columns. `-` stands for NULL. A number that ends in a zero behind its point has exactly
/// these digits. Of another number, zeros behind its last digit are left out.
struct NamedRows {
    let columns: [String]
    let rows: [[String]]

    init(_ text: String) throws {
        let lines = text.split(separator: "\n").map { line in
            line.split(separator: /\ {2,}/).map { String($0.trimmingPrefix(" ")) }
        }
        columns = try #require(lines.first)
        rows = Array(lines.dropFirst())
        for row in rows { try #require(row.count == columns.count, "\(row) does not have the columns \(columns)") }
    }

    /// What a row shows by the names of its columns.
    func description(of row: [String]) -> String {
        zip(columns, row).map { "\($0): \($1)" }.joined(separator: ", ")
    }

    /// A cell without zeros behind the last digit of a number.
    static func trimmed(_ text: String) -> String {
        guard text.wholeMatch(of: /-?[0-9]+\.[0-9]+/) != nil else { return text }
        let digits = text.reversed().drop { $0 == "0" }.reversed()
        return String(digits.last == "." ? digits.dropLast() : digits[...])
    }

    /// Whether a cell that was found is the one that is stated.
    static func shows(_ found: String, _ stated: String) -> Bool {
        found == stated || trimmed(stated) == stated && trimmed(found) == stated
    }
}

extension TestDatabase {
    /// Expects the rows of a query, by the names of columns; other columns of the query are not looked at.
    ///
    /// If the query has no ORDER BY, the order of the rows does not matter. A failure names row and column.
    package func expect(
        _ query: String, _ table: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let expected = try NamedRows(table)
        let cells = expected.columns.map { "coalesce(asked.\($0)::text, '-')" }.joined(separator: ", ")
        let lines = try await column("SELECT array_to_string(ARRAY[\(cells)], chr(31)) FROM (\(query)) AS asked")
        var (found, rows) = (
            lines.map { ($0 ?? "").split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init) },
            expected.rows
        )
        if !query.contains("ORDER BY") {
            func precedes(_ left: [String], _ right: [String]) -> Bool {
                left.map(NamedRows.trimmed).lexicographicallyPrecedes(right.map(NamedRows.trimmed))
            }
            found.sort(by: precedes)
            rows.sort(by: precedes)
        }
        func record(_ comment: String) { Issue.record("\(comment)", sourceLocation: sourceLocation) }
        for row in rows.dropFirst(found.count) { record("a row is missing: \(expected.description(of: row))") }
        for row in found.dropFirst(rows.count) { record("a row is too many: \(expected.description(of: row))") }
        for (number, (found, row)) in zip(found, rows).enumerated() {
            let wrong = zip(expected.columns, zip(found, row)).filter { !NamedRows.shows($1.0, $1.1) }
            for (name, (found, expected)) in wrong {
                record("row \(number + 1): \(name) is \(found) instead of \(expected)")
            }
            if !wrong.isEmpty { record("row \(number + 1) is \(expected.description(of: found))") }
        }
    }
}
