import Reports

/// What reports there are, and what is in them, as lines of text.
enum ReportDescriptions {
    /// The names of all reports.
    static func show(_ catalog: ReportCatalog) throws {
        var table = AlignedTable(["report", "one row is"], isRight: [false, false])
        try StandardOutput.write(table.text(catalog.reports.map { [$0.name, $0.meaning] }))
    }

    /// The parameters and columns of a report.
    static func show(_ report: Report) throws {
        try StandardOutput.line("\(report.name): \(report.meaning)\n")
        var parameters = AlignedTable(["parameter", "meaning", "must be"], isRight: [false, false, false])
        try StandardOutput.line(parameters.text(report.parameters.map { [$0.name, $0.meaning, $0.rule] }))
        var columns = AlignedTable(["column", "type", "meaning"], isRight: [false, false, false])
        try StandardOutput.write(columns.text(report.columns.map { [$0.name, $0.form.rawValue, $0.meaning] }))
    }
}
