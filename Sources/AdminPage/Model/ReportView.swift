/// A screen: figures, facts, texts and forms.
package struct ReportView: PageView {
    let frame: PageFrame
    let introduction: String
    let filters: FilterForm?
    let tabs: [ScreenLink]
    let hasTabs: Bool
    let notices: [String]
    let tiles: [Tile]
    let hasTiles: Bool
    let facts: [Fact]
    let hasFacts: Bool
    let blocks: [TextBlock]
    let figures: [FigureView]
    let forms: [FormView]
    package var template: PageTemplate { .report }

    /// Takes what is shown.
    ///
    /// - Parameter tabs: Links to other views of the same screen.
    package init(
        _ frame: PageFrame, introduction: String, filters: FilterForm? = nil, tabs: [ScreenLink] = [],
        notices: [String] = [], tiles: [Tile] = [], facts: [Fact] = [], blocks: [TextBlock] = [],
        figures: [FigureView] = [], forms: [FormView] = []
    ) {
        self.frame = frame
        self.introduction = introduction
        self.filters = filters
        self.tabs = tabs
        hasTabs = !tabs.isEmpty
        self.notices = notices
        self.tiles = tiles
        hasTiles = !tiles.isEmpty
        self.facts = facts
        hasFacts = !facts.isEmpty
        self.blocks = blocks
        self.figures = figures
        self.forms = forms
    }
}

/// One important figure.
package struct Tile: Sendable {
    let label: String
    let content: String
    let exact: String
    let remark: String?

    /// Takes what is shown.
    ///
    /// - Parameters:
    ///   - exact: The figure without rounding.
    ///   - remark: What it means, or how sure it is.
    package init(_ label: String, _ content: String, exact: String? = nil, remark: String? = nil) {
        self.label = label
        self.content = content
        self.exact = exact ?? content
        self.remark = remark
    }
}

/// A figure: chart, table, SQL, CSV.
package struct FigureView: Sendable {
    let id: String
    let heading: String
    let remark: String?
    let chart: ChartView?
    let table: TableView?
    /// What to do if there are no rows.
    let advice: String?
    let sql: String?
    let csv: String?

    /// Takes what is shown; without rows the advice is shown.
    package init(
        id: String, heading: String, remark: String?, chart: ChartView?, table: TableView?, advice: String,
        sql: String?,
        csv: String?
    ) {
        self.id = id
        self.heading = heading
        self.remark = remark
        self.chart = chart
        self.table = table
        self.advice = table == nil ? advice : nil
        self.sql = sql
        self.csv = table == nil ? nil : csv
    }
}
