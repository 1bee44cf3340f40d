import PostgresClient

/// The reports that the database has, with their columns and what these mean.
///
/// `attribution.catalog` is the list, from which the reports themselves are made (`definitions/reports.sql`).
package struct ReportCatalog: Sendable {
    /// All reports, by name.
    package let reports: [Report]

    /// The report with a name.
    package subscript(_ name: String) -> Report? { reports.first { $0.name == name } }

    /// Reads the rows of `statement`: one for each column of each report, in order.
    init(_ rows: PostgresResult) throws {
        var reports: [Report] = []
        for row in rows {
            var cursor = ColumnCursor(row)
            let name: String = try cursor.next()
            let meaning: String = try cursor.next()
            let source = try Self.source(form: cursor.next(), options: cursor.next())
            let column = ReportColumn(
                name: try cursor.next(), form: .init(databaseType: try cursor.next()), isDimension: try cursor.next(),
                meaning: try cursor.next())
            let earlier = reports.last?.name == name ? reports.removeLast().columns : []
            reports.append(Report(name: name, meaning: meaning, source: source, columns: earlier + [column]))
        }
        self.reports = reports
    }

    private static func source(form: String, options: String) -> Report.Source {
        switch form {
        case "range": .range(options.split(separator: ",").compactMap { ReportOption(rawValue: String($0)) })
        case "daily": .daily
        default: .allDays
        }
    }

    static let statement = PostgresStatement(
        "report_catalog",
        """
        SELECT report, report_meaning, form, array_to_string(options, ','), name, type, kind = 'key', meaning
          FROM attribution.catalog
         ORDER BY report COLLATE "C", number
        """)
}
