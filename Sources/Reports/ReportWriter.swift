import StrictJSON
import TabularFiles

/// A form in which programs read a report.
package enum ReportFormat: String, Sendable, CaseIterable {
    /// One object, with the rows as objects.
    case json
    /// RFC 4180, with a line of names first.
    case csv
    /// One object in a line for each row.
    case ndjson

    /// The type of the text.
    package var contentType: String {
        switch self {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8"
        case .ndjson: "application/x-ndjson"
        }
    }

    /// What the form must be.
    package static let rule = "must be one of \(allCases.map(\.rawValue).joined(separator: ", "))"
}

/// Writes the text of a report: a beginning, any number of rows, an end.
package struct ReportWriter: Sendable {
    private let format: ReportFormat
    private let columns: [ReportColumn]
    /// The names of the members, quoted and with a colon.
    private let names: [[UInt8]]
    private var hasRows = false

    /// Begins the text of a report with these columns.
    package init(_ format: ReportFormat, _ columns: [ReportColumn]) {
        self.format = format
        self.columns = columns
        names = columns.map { Array((JSONText.quoted($0.name) + ":").utf8) }
    }

    /// What stands before the rows.
    package func beginning(_ report: OpenReport) -> [UInt8] {
        switch format {
        case .csv: return Array(CSVText.row(columns.map(\.name)).utf8)
        case .ndjson: return []
        case .json:
            let query = report.query
            let days = query.days.map { "\"from\":\"\($0.lowerBound)\",\"to\":\"\($0.upperBound)\"," } ?? ""
            let next = report.nextPage.map(JSONText.quoted) ?? "null"
            return Array(
                "{\"report\":\(JSONText.quoted(query.report.name)),\(days)\"next_page\":\(next),\"rows\":[".utf8)
        }
    }

    /// Some rows.
    package mutating func rows(_ rows: [[String?]]) -> [UInt8] {
        var text: [UInt8] = []
        for row in rows {
            switch format {
            case .csv:
                let cells = zip(columns, row).map { $0.form == .text ? $1.map(CSVText.withoutFormula) : $1 }
                text.append(contentsOf: CSVText.row(cells).utf8)
            case .ndjson:
                append(row, to: &text)
                text.append(UInt8(ascii: "\n"))
            case .json:
                if hasRows { text.append(UInt8(ascii: ",")) }
                text.append(UInt8(ascii: "\n"))
                append(row, to: &text)
            }
            hasRows = true
        }
        return text
    }

    /// What stands behind the rows.
    package var end: [UInt8] { format == .json ? Array("]}\n".utf8) : [] }

    private func append(_ row: [String?], to text: inout [UInt8]) {
        text.append(UInt8(ascii: "{"))
        for (index, cell) in row.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: names[index])
            guard let cell else {
                text.append(contentsOf: "null".utf8)
                continue
            }
            switch columns[index].form {
            case .text, .date: JSONText.append(cell, to: &text)
            // The database writes them as JSON does.
            case .integer, .decimal, .boolean: text.append(contentsOf: cell.utf8)
            }
        }
        text.append(UInt8(ascii: "}"))
    }
}
