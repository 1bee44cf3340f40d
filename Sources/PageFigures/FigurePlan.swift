package import Foundation
package import PageViews
package import Reports

/// A figure of a screen: what is asked, which columns are shown, and which tiles or chart.
package struct FigurePlan: Sendable {
    package let id: String
    let heading: String
    var remark: String?
    /// What the rows add to the remark.
    var rowRemark: @Sendable (FigureRows) -> String? = { _ in nil }
    /// What SQL and CSV say: all rows.
    package let question: FigureQuestion
    /// The same as the page shows it, if the table may be long; nil if it shows all rows.
    ///
    /// Its text is a `ReportSummary.cutText`.
    var cut: FigureQuestion?
    /// The same with the first rows only, if the page shows no others; nil if it shows all rows.
    var first: FigureQuestion?
    /// Whether rows of a long table may be added: without totals it has no row of all others either.
    var hasTotals = true
    /// The names of columns that are summed below a table that shows all rows.
    var added: [String] = []
    package let columns: [FigureColumn]
    var tiles: @Sendable (FigureRows) -> [Tile] = { _ in [] }
    var chart: (@Sendable (FigureRows) -> ChartData)?
    /// Whether the days of the filters say which rows there are.
    package var isOfDays = true
    /// Whether the table is shown at once, also below a chart.
    var isTableOpen = false
    /// The name of the column by which the table is sorted, with `-` before it; nil if it can't be sorted.
    var sort: String?
    /// Which columns and rows of a table that can be sorted are shown.
    package var choices = TableChoices()
    let advice: String

    /// Takes what is asked and shown.
    package init(
        id: String, heading: String, remark: String? = nil,
        rowRemark: @escaping @Sendable (FigureRows) -> String? = { _ in nil }, question: FigureQuestion,
        cut: FigureQuestion? = nil, first: FigureQuestion? = nil, hasTotals: Bool = true, added: [String] = [],
        columns: [FigureColumn],
        tiles: @escaping @Sendable (FigureRows) -> [Tile] = { _ in [] },
        chart: (@Sendable (FigureRows) -> ChartData)? = nil, isOfDays: Bool = true, isTableOpen: Bool = false,
        sort: String? = nil, choices: TableChoices = TableChoices(), advice: String
    ) {
        self.id = id
        self.heading = heading
        self.remark = remark
        self.rowRemark = rowRemark
        self.question = question
        self.cut = cut
        self.first = first
        self.hasTotals = hasTotals
        self.added = added
        self.columns = columns
        self.tiles = tiles
        self.chart = chart
        self.isOfDays = isOfDays
        self.isTableOpen = isTableOpen
        self.sort = sort
        self.choices = choices
        self.advice = advice
    }
}

/// A column of a table.
package struct FigureColumn: Sendable {
    /// What the texts are.
    package enum Form: Sendable {
        case text
        case integer
        case money
        case share
        /// A number with all its places.
        case decimal
        /// Whether more may come.
        case complete

        /// A text of the database as people read it; nil stands for NULL.
        package func shown(_ text: String?) -> String {
            guard let text, !text.isEmpty else { return "–" }
            switch self {
            case .text, .decimal: return text
            case .integer: return NumberText.decimal(text, places: 0)
            case .money: return NumberText.decimal(text, places: 2)
            case .share: return NumberText.share(text)
            case .complete: return text == "t" || text == "true" ? "complete" : "not complete yet"
            }
        }
    }

    package let name: String
    let label: String
    let form: Form
    /// The address to which a cell leads, also what stands in place of NULL; nil if it leads nowhere.
    let link: (@Sendable ([String: String]) -> String?)?
    /// Whether it says what the row is about.
    let isHeader: Bool
    /// What stands in place of NULL.
    let absent: String
    /// Whether the row of totals says something about it.
    let hasTotal: Bool
    /// Whether the page leaves the column out if no row has it.
    let isOptional: Bool
    /// The text of a cell, of its row; nil if it is the one of the database.
    let text: (@Sendable ([String: String]) -> String?)?

    /// Takes what is shown.
    ///
    /// - Parameter hasTotal: Whether several rows together have such a figure, as sums have.
    package init(
        _ name: String, _ label: String, _ form: Form = .text, isHeader: Bool = false, absent: String = "–",
        hasTotal: Bool = true, isOptional: Bool = false, text: (@Sendable ([String: String]) -> String?)? = nil,
        link: (@Sendable ([String: String]) -> String?)? = nil
    ) {
        self.name = name
        self.label = label
        self.form = form
        self.isHeader = isHeader
        self.absent = absent
        self.hasTotal = hasTotal && form != .text
        self.isOptional = isOptional
        self.text = text
        self.link = link
    }

    /// The column of the time at which a body was seen last: seconds tell them apart, and the CSV has the rest.
    package static func lastSeen(link: @escaping @Sendable ([String: String]) -> String?) -> FigureColumn {
        FigureColumn(
            "last_seen", "Last seen (UTC)", isHeader: true,
            text: { $0["last_seen"].map { String($0.prefix(19)).replacing("T", with: " ") } }, link: link)
    }

    /// The column of the advertised app, with the name that the operator gave it.
    package static func app(
        _ filters: PageFilters, link: (@Sendable ([String: String]) -> String?)? = nil
    ) -> FigureColumn {
        FigureColumn(
            "advertised_app_id", "App", text: { $0["advertised_app_id"].map(filters.appText) }, link: link)
    }

    var isNumber: Bool { [.integer, .money, .share, .decimal].contains(form) }

    /// A text of the database as a cell.
    func cell(_ text: String?, _ row: @autoclosure () -> [String: String]) -> TableCell {
        let given = text == nil ? nil : self.text?(row())
        return TableCell(
            text == nil ? absent : given ?? form.shown(text), exact: isNumber ? text ?? "" : nil,
            link: link?(row()), isHeader: isHeader)
    }
}

/// The rows of an answer, by the names of their columns.
package struct FigureRows: Sendable {
    package let names: [String]
    package let rows: [[String?]]

    /// Takes both.
    package init(names: [String], rows: [[String?]]) {
        self.names = names
        self.rows = rows
    }

    /// The texts of a column.
    package func texts(_ name: String) -> [String?] {
        guard let place = names.firstIndex(of: name) else { return [] }
        return rows.map { $0[place] }
    }

    /// The texts of a column, for the axis of a chart; empty in place of NULL.
    package func labels(_ name: String) -> [String] { texts(name).map { $0 ?? "" } }

    /// The numbers of a column, for a chart; nil in place of NULL.
    package func numbers(_ name: String) -> [Double?] { texts(name).map { $0.flatMap(Double.init) } }

    /// The ranges between the numbers of two columns, for a chart; nil if one of them is NULL.
    package func ranges(_ low: String, _ high: String) -> [ClosedRange<Double>?] {
        zip(texts(low), texts(high)).map { low, high in
            guard let low = low.flatMap(Double.init), let high = high.flatMap(Double.init) else { return nil }
            return min(low, high)...max(low, high)
        }
    }

    /// The sum of a column, exact; 0 in place of NULL.
    package func sum(_ name: String) -> Decimal {
        texts(name).reduce(0) { $0 + ($1.flatMap { Decimal(string: $0) } ?? 0) }
    }

    /// Whether a row is not complete, by a column that says whether it is.
    package func isIncomplete(_ name: String) -> [Bool] { texts(name).map { $0 == "false" || $0 == "f" } }

    /// A row by names, without NULL.
    package func members(_ row: [String?]) -> [String: String] {
        Dictionary(zip(names, row).compactMap { name, text in text.map { (name, $0) } }) { first, _ in first }
    }
}
