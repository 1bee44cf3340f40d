/// A screen: figures, facts, texts and forms.
package struct ReportView: PageView {
    let frame: PageFrame
    let introduction: String
    let filters: FilterForm?
    let tabs: [ScreenLink]
    let hasTabs: Bool
    let notices: [String]
    let facts: [Fact]
    let hasFacts: Bool
    let blocks: [TextBlock]
    let figures: [FigureView]
    let isPaired: Bool
    let forms: [FormView]
    package var template: PageTemplate { .report }

    /// Takes what is shown.
    ///
    /// - Parameters:
    ///   - tabs: Links to other views of the same screen.
    ///   - isPaired: Whether two charts stand side by side if there is room.
    package init(
        _ frame: PageFrame, introduction: String, filters: FilterForm? = nil, tabs: [ScreenLink] = [],
        notices: [String] = [], facts: [Fact] = [], blocks: [TextBlock] = [],
        figures: [FigureView] = [], isPaired: Bool = false, forms: [FormView] = []
    ) {
        self.frame = frame
        self.introduction = introduction
        self.filters = filters
        self.tabs = tabs
        hasTabs = !tabs.isEmpty
        self.notices = notices
        self.facts = facts
        hasFacts = !facts.isEmpty
        self.blocks = blocks
        self.figures = figures
        self.isPaired = isPaired
        self.forms = forms
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

/// A figure: tiles, chart, table, SQL, CSV.
package struct FigureView: Sendable {
    let id: String
    let heading: String
    let remark: String?
    let tiles: [Tile]
    let hasTiles: Bool
    let chart: ChartView?
    /// Whether table and SQL are shown on demand only.
    let isFolded: Bool
    let table: TableView?
    /// What to do if there are no rows.
    let advice: String?
    let sql: String?
    let csv: String?

    /// Takes what is shown; without rows the advice is shown.
    package init(
        id: String, heading: String, remark: String?, tiles: [Tile] = [], chart: ChartView?, table: TableView?,
        advice: String, sql: String?, csv: String?
    ) {
        self.id = id
        self.heading = heading
        self.remark = remark
        self.tiles = tiles
        hasTiles = !tiles.isEmpty
        self.chart = chart
        isFolded = chart != nil || hasTiles
        self.table = table
        self.advice = table == nil ? advice : nil
        self.sql = sql
        self.csv = table == nil ? nil : csv
    }
}
