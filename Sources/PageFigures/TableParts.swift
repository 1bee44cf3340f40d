import PageViews
import Reports

/// The rows of a table: those with lines of their own, the row of all others, and that of all.
struct TableParts: Sendable {
    /// A row that stands for several.
    private struct Sum {
        let row: [String?]
        let count: Int
    }

    /// The rows that are shown.
    let rows: FigureRows
    private let others: Sum?
    private let all: Sum?
    /// The names of the columns that are summed; nil for all that may be.
    private let added: [String]?

    /// Takes the rows of a table that shows all.
    ///
    /// - Parameter names: The columns that are summed. A sum is not known if a number is not.
    init(all rows: FigureRows, adding names: [String]) {
        self.rows = rows
        others = nil
        added = names
        let sums = rows.names.map { name in
            names.contains(name) && !rows.texts(name).contains(nil) ? "\(rows.sum(name))" : nil
        }
        all = names.isEmpty ? nil : Sum(row: sums, count: rows.rows.count)
    }

    /// Takes the answer to a `ReportSummary.cutText`.
    init(cut answer: FigureRows) {
        let places = answer.texts(ReportSummary.placeName)
        let counts = answer.texts(ReportSummary.countName).map { $0.flatMap { Int($0) } ?? 0 }
        var rows: [[String?]] = []
        var others: Sum?
        var all: Sum?
        for (row, (place, count)) in zip(answer.rows, zip(places, counts)) {
            switch place.flatMap({ Int($0) }) {
            case nil: all = count > 0 ? Sum(row: row, count: count) : nil
            case let place? where place > FigurePlan.shownRows: others = Sum(row: row, count: count)
            default: rows.append(row)
            }
        }
        self.rows = FigureRows(names: answer.names, rows: rows)
        self.others = others
        self.all = all
        added = nil
    }

    /// Whether there are more rows than are shown.
    var isLong: Bool { others != nil }

    /// What is said about rows that are not shown.
    ///
    /// - Parameter hasTotals: Whether they have a row.
    func remark(hasTotals: Bool) -> String? {
        guard let all, isLong else { return nil }
        func text(_ count: Int) -> String { NumberText.decimal("\(count)", places: 0) }
        let which = "The first \(rows.rows.count) of \(text(all.count)) rows in this order"
        let limit = all.count > FigurePlan.greatestRows ? "the first \(text(FigurePlan.greatestRows))" : "all"
        return which + (hasTotals ? ", and one row for all others" : "") + ". SQL and CSV have \(limit)."
    }

    /// The rows below the others: that of all others, and that of all if there is more than one row.
    func footer(_ columns: [FigureColumn]) -> [[TableCell]] {
        let sums = [("All others", others), ("Total", all.flatMap { $0.count > 1 ? $0 : nil })]
        return sums.compactMap { name, sum in
            sum.map { sum in
                let count = NumberText.decimal("\(sum.count)", places: 0)
                return columns.enumerated().map { place, column in
                    if place == 0 { return TableCell("\(name) (\(count))", isHeader: true) }
                    guard column.hasTotal, added?.contains(column.name) != false,
                        let cell = rows.names.firstIndex(of: column.name)
                    else { return TableCell("") }
                    return column.cell(sum.row[cell], [:])
                }
            }
        }
    }
}
