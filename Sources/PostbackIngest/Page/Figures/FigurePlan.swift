import AdminPage
import PostbackStore

/// A figure of a screen: what is asked, which columns are shown, and which chart.
struct FigurePlan: Sendable {
    let id: String
    let heading: String
    var remark: String?
    let question: FigureQuestion
    let columns: [FigureColumn]
    var chart: (@Sendable (FigureRows) -> ChartData)?
    /// The name of the column by which the table is sorted, with `-` before it; nil if it can't be sorted.
    var sort: String?
    var advice: String
}

/// A column of a table.
struct FigureColumn: Sendable {
    /// What the texts are.
    enum Form: Sendable {
        case text
        case integer
        case money
        case share
        /// Whether more may come.
        case complete
    }

    let name: String
    let label: String
    let form: Form
    /// The address to which a cell leads; nil if it leads nowhere.
    var link: (@Sendable ([String: String]) -> String?)?
    /// Whether it says what the row is about.
    var isHeader = false
    /// What stands in place of NULL.
    var absent = "–"

    var isNumber: Bool { [.integer, .money, .share].contains(form) }

    /// A text of the database as a cell.
    func cell(_ text: String?, _ row: @autoclosure () -> [String: String]) -> TableCell {
        guard let text else { return TableCell(absent, exact: isNumber ? "" : nil, isHeader: isHeader) }
        let target = link?(row())
        switch form {
        case .text: return TableCell(text.isEmpty ? "–" : text, link: target, isHeader: isHeader)
        case .integer: return TableCell(NumberText.decimal(text, places: 0), exact: text, link: target)
        case .money: return TableCell(NumberText.decimal(text, places: 2), exact: text, link: target)
        case .share: return TableCell(NumberText.share(text), exact: text, link: target)
        case .complete: return TableCell(text == "t" || text == "true" ? "complete" : "not complete yet")
        }
    }
}

/// The rows of an answer, by the names of their columns.
struct FigureRows: Sendable {
    let names: [String]
    let rows: [[String?]]

    /// The texts of a column.
    func texts(_ name: String) -> [String?] {
        guard let place = names.firstIndex(of: name) else { return [] }
        return rows.map { $0[place] }
    }

    /// The numbers of a column, for a chart; 0 in place of NULL.
    func numbers(_ name: String) -> [Double] { texts(name).map { $0.flatMap(Double.init) ?? 0 } }

    /// Whether a row is not complete, by a column that says whether it is.
    func isIncomplete(_ name: String) -> [Bool] { texts(name).map { $0 == "false" || $0 == "f" } }

    /// A row by names, without NULL.
    func members(_ row: [String?]) -> [String: String] {
        Dictionary(zip(names, row).compactMap { name, text in text.map { (name, $0) } }) { first, _ in first }
    }
}
