import Reports
import TabularFiles

extension FigurePlan {
    /// The figure with its rows.
    ///
    /// - Parameters:
    ///   - address: The address of the screen with a parameter more.
    func view(_ rows: FigureRows, address: (_ name: String, _ value: String) -> String) -> FigureView {
        let places = columns.map { column in rows.names.firstIndex(of: column.name) }
        let remarks = [remark, rowRemark(rows)].compactMap(\.self)
        return FigureView(
            id: id, heading: heading, remark: remarks.isEmpty ? nil : remarks.joined(separator: " "),
            tiles: tiles(rows), chart: chart.map { $0(rows) },
            isTableOpen: isTableOpen, headers: columns.map { header($0, address) },
            rows: rows.rows.map { row in
                zip(columns, places).map { column, place in
                    column.cell(place.flatMap { row[$0] }, rows.members(row))
                }
            }, advice: advice, sql: question.sql, csv: address("csv", id))
    }

    private func header(
        _ column: FigureColumn, _ address: (_ name: String, _ value: String) -> String
    ) -> TableHeader {
        guard let sort else { return TableHeader(column.label, isNumber: column.isNumber) }
        let current = sort == column.name ? false : sort == "-" + column.name ? true : nil
        // Numbers begin with the greatest, texts with A.
        let next = current.map { $0 ? column.name : "-" + column.name } ?? (column.isNumber ? "-" : "") + column.name
        return TableHeader(
            column.label, isNumber: column.isNumber, sortAddress: address("sort", next), isDescending: current)
    }

    /// The table as CSV, with the exact numbers.
    func csv(_ rows: FigureRows) -> String {
        let places = columns.map { column in rows.names.firstIndex(of: column.name) }
        let lines = rows.rows.map { row in
            CSVText.row(
                zip(columns, places).map { column, place in
                    let text = place.flatMap { row[$0] }
                    return column.form == .text ? text.map(CSVText.withoutFormula) : text
                })
        }
        return CSVText.row(columns.map(\.name)) + lines.joined()
    }
}
