package import PageViews
package import Reports
import TabularFiles

extension FigurePlan {
    /// How many rows of a long table have lines of their own.
    package static let shownRows = 100
    /// The most rows of a CSV.
    package static let greatestRows = 100_000

    /// What is asked for the page.
    package var pageQuestion: FigureQuestion { cut ?? first ?? question }

    /// The figure with its rows.
    ///
    /// - Parameters:
    ///   - rows: The answer to `pageQuestion`.
    ///   - address: The address of the screen with other parameters; nil removes one.
    ///   - hidden: The parameters of the screen, for a form that changes others.
    package func view(
        _ rows: FigureRows, address: (_ changes: [(name: String, value: String?)]) -> String,
        hidden: (_ without: [String]) -> [Fact] = { _ in [] }
    ) -> FigureView {
        let parts = cut == nil ? TableParts(all: rows, adding: added) : TableParts(cut: rows)
        let rows = parts.rows
        let shown = choices.shown(columns).filter { !$0.isOptional || rows.texts($0.name).contains { $0 != nil } }
        let remarks = [remark, rowRemark(rows), parts.remark(hasTotals: hasTotals)].compactMap(\.self)
        return FigureView(
            id: id, heading: heading, remark: remarks.isEmpty ? nil : remarks.joined(separator: " "),
            tiles: tiles(rows), chart: chart.map { $0(rows) }, isTableOpen: isTableOpen,
            table: TableView(
                caption: heading, headers: shown.map { header($0, address) }, rows: cells(shown, rows),
                footer: hasTotals ? parts.footer(shown) : [],
                tools: sort.map { _ in
                    choices.tools(columns, isLong: parts.isLong, address: address, hidden: hidden)
                }, isWide: sort != nil),
            advice: choices.advice ?? advice, sql: question.sql,
            csv: address([("csv", id), ("columns", nil)]))
    }

    private func cells(_ columns: [FigureColumn], _ rows: FigureRows) -> [[TableCell]] {
        let places = columns.map { column in rows.names.firstIndex(of: column.name) }
        return rows.rows.map { row in
            zip(columns, places).map { column, place in
                column.cell(place.flatMap { row[$0] }, rows.members(row))
            }
        }
    }

    private func header(
        _ column: FigureColumn, _ address: (_ changes: [(name: String, value: String?)]) -> String
    ) -> TableHeader {
        guard let sort else { return TableHeader(column.label, isNumber: column.isNumber) }
        let current = sort == column.name ? false : sort == "-" + column.name ? true : nil
        // Numbers begin with the greatest, texts with A.
        let next = current.map { $0 ? column.name : "-" + column.name } ?? (column.isNumber ? "-" : "") + column.name
        return TableHeader(
            column.label, isNumber: column.isNumber, sortAddress: address([("sort", next)]), isDescending: current)
    }

    /// The table as CSV, with the exact numbers.
    ///
    /// - Parameter rows: The answer to `question`.
    package func csv(_ rows: FigureRows) -> String {
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
