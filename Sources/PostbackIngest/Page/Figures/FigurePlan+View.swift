import AdminPage
import PostbackStore
import TabularFiles

extension FigurePlan {
    /// The figure with its rows.
    ///
    /// - Parameters:
    ///   - address: The address of the screen with a parameter more.
    func view(_ rows: FigureRows, address: (_ name: String, _ value: String) -> String) -> FigureView {
        FigureView(
            id: id, heading: heading, remark: remark, tiles: rows.rows.isEmpty ? [] : tiles(rows),
            chart: rows.rows.isEmpty ? nil : chart.map { ChartView($0(rows)) },
            table: rows.rows.isEmpty ? nil : table(rows, address), advice: advice, sql: question.sql,
            csv: address("csv", id))
    }

    private func table(_ rows: FigureRows, _ address: (_ name: String, _ value: String) -> String) -> TableView {
        let places = columns.map { column in rows.names.firstIndex(of: column.name) }
        return TableView(
            caption: heading,
            headers: columns.map { column in
                guard let sort else { return TableHeader(column.label, isNumber: column.isNumber) }
                let current = sort == column.name ? false : sort == "-" + column.name ? true : nil
                // Numbers begin with the greatest, texts with A.
                let next =
                    current.map { $0 ? column.name : "-" + column.name } ?? (column.isNumber ? "-" : "") + column.name
                return TableHeader(
                    column.label, isNumber: column.isNumber, sortAddress: address("sort", next), isDescending: current)
            },
            rows: rows.rows.map { row in
                zip(columns, places).map { column, place in
                    column.cell(place.flatMap { row[$0] }, rows.members(row))
                }
            })
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
