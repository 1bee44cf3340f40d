/// A figure: tiles, chart, table, SQL, CSV.
package struct FigureView: Sendable {
    let id: String
    let heading: String
    let remark: String?
    let tiles: [Tile]
    let charts: [ChartView]
    let table: TableView?
    /// Whether table and SQL are shown on demand only.
    let isFolded: Bool
    /// What to do if there are no rows.
    let advice: String?
    let sql: String?
    let csv: String?

    /// Takes what is shown.
    ///
    /// Without rows, the advice is shown in place of tiles, chart and table. Only the forms above a table stay.
    ///
    /// - Parameters:
    ///   - isTableOpen: Whether the table is shown at once, also below tiles or a chart.
    ///   - csv: The address of the table as CSV.
    package init(
        id: String, heading: String, remark: String? = nil, tiles: [Tile] = [], chart: ChartData? = nil,
        isTableOpen: Bool = false, table: TableView, advice: String, sql: String? = nil, csv: String? = nil
    ) {
        let isEmpty = table.rows.isEmpty
        self.id = id
        self.heading = heading
        self.remark = remark
        self.tiles = isEmpty ? [] : tiles
        charts = isEmpty ? [] : chart.map { ChartView.all($0, id: id, title: heading) } ?? []
        self.table = isEmpty && table.tools?.search == nil ? nil : table
        isFolded = !isTableOpen && !isEmpty && (chart != nil || !tiles.isEmpty)
        self.advice = isEmpty ? advice : nil
        self.sql = sql
        self.csv = isEmpty ? nil : csv
    }

    /// Takes a figure whose table has the same name.
    package init(
        id: String, heading: String, remark: String? = nil, tiles: [Tile] = [], chart: ChartData? = nil,
        isTableOpen: Bool = false, headers: [TableHeader], rows: [[TableCell]], advice: String, sql: String? = nil,
        csv: String? = nil
    ) {
        self.init(
            id: id, heading: heading, remark: remark, tiles: tiles, chart: chart, isTableOpen: isTableOpen,
            table: TableView(caption: heading, headers: headers, rows: rows), advice: advice, sql: sql, csv: csv)
    }
}

/// One important figure, and the same of the period before.
package struct Tile: Sendable {
    /// A number as people read it, and without rounding.
    package struct Number: Sendable {
        let content: String
        let exact: String

        /// Takes both.
        package init(_ content: String, exact: String) {
            self.content = content
            self.exact = exact
        }
    }

    let label: String
    let chosen: Number
    let note: String?
    let before: Number?

    /// Takes what is shown.
    ///
    /// - Parameters:
    ///   - note: What it means, or how sure it is.
    ///   - before: The number of the period before.
    package init(_ label: String, _ chosen: Number, note: String? = nil, before: Number? = nil) {
        self.label = label
        self.chosen = chosen
        self.note = note
        self.before = before
    }
}
