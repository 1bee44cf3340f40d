import Reports
import StrictJSON

/// Prints the rows of a report.
struct ReportOutput {
    /// The number of rows that decide how wide columns are.
    private static let measuredRows = 1_000

    private let format: ReportCommand.Format

    init(_ format: ReportCommand.Format) {
        self.format = format
    }

    func print(_ report: OpenReport) async throws {
        switch format {
        case .table: try await table(report)
        case .csv: try await text(report, .csv)
        case .json: try await text(report, .json)
        case .ndjson: try await text(report, .ndjson)
        }
    }

    private func text(_ report: OpenReport, _ format: ReportFormat) async throws {
        var writer = ReportWriter(format, report.query.report.columns)
        try StandardOutput.write(writer.beginning(report))
        while let rows = try await report.next() { try StandardOutput.write(writer.rows(rows)) }
        try StandardOutput.write(writer.end)
    }

    private func table(_ report: OpenReport) async throws {
        let columns = report.query.report.columns
        var rows: [[String?]] = []
        while rows.count < Self.measuredRows, let more = try await report.next() { rows += more }
        var table = AlignedTable(
            columns.map(\.name), isRight: columns.map { $0.form == .integer || $0.form == .decimal })
        try StandardOutput.write(table.text(rows))
        var count = rows.count
        while let more = try await report.next() {
            try StandardOutput.write(table.text(more))
            count += more.count
        }
        try StandardOutput.write("(\(count) rows)\n")
    }
}
