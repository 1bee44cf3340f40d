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
