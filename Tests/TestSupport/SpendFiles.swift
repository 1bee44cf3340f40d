import AuditTrail
package import CampaignData
package import PostbackStore
import TabularFiles

/// A spend file for tests: what was checked, and its rows.
package struct SpendFiles: Sendable {
    package let check: SpendFileCheck
    package let rows: [SpendRow]

    /// Reads a CSV file of rows, each given by its fields.
    package init(_ fields: [[String: String]]) throws {
        let columns = SpendRow.Column.allCases.map(\.name)
        let text = ([CSVText.row(columns)] + fields.map { row in CSVText.row(columns.map { row[$0] }) }).joined()
        var reader = RecordReader<SpendRow>()
        var check = SpendFileCheck()
        var rows: [SpendRow] = []
        try reader.read(Array(text.utf8)) { row, line in
            try check.take(row, line: line)
            rows.append(row)
        }
        try reader.finish { _, _ in }
        (self.check, self.rows) = (check, rows)
    }

    /// A row that is right, with some fields changed.
    package static func row(_ changes: [String: String] = [:]) -> [String: String] {
        [
            "day": "2026-11-20", "ad_network_id": "com.example", "advertised_app_id": "7", "campaign_id": "c",
            "currency": "USD", "spend": "12.50",
        ].merging(changes) { $1 }
    }

    /// Reads a file of currency rates.
    package static func rates(_ text: String) throws -> CurrencyRateFile {
        var reader = RecordReader<CurrencyRate>()
        var file = CurrencyRateFile()
        try reader.read(Array(text.utf8)) { try file.take($0, line: $1) }
        try reader.finish { try file.take($0, line: $1) }
        return file
    }

    /// Loads the file in parts of two rows.
    package func load(
        into store: PostbackStore, named name: String = "spend.csv", ending: LoadEnding = .commit
    ) async throws -> LoadOutcome {
        let rows = rows
        let source = LoadSource(.systemUser("test"), [LoadedFile(name: name, [])])
        return try await store.loadSpend(check, from: source, ending: ending) { take in
            for start in stride(from: 0, to: rows.count, by: 2) { try take(Array(rows[start...].prefix(2))) }
        }
    }
}
