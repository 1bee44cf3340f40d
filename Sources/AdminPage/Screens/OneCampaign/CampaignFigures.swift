import PageFigures
import PageViews
import PostgresClient
import Reports

/// The figures of a campaign that are of one statement: totals, windows, days, and why values bring no revenue.
struct CampaignFigures {
    let campaign: CampaignFilter
    let filters: PageFilters
    let today: PostgresDate

    init(_ campaign: CampaignFilter, _ filters: PageFilters, today: PostgresDate) {
        self.campaign = campaign
        self.filters = filters
        self.today = today
    }

    /// Whether it can have cost: the networks bill by the campaigns of the mapping.
    var hasCost: Bool { campaign.ids != nil }

    /// What the rows are of.
    enum Part: String {
        /// Periods.
        case totals
        /// Windows, each over the days that are complete in it.
        case windows
        /// Days.
        case days
        /// What the values of postbacks are, by kind.
        case causes
    }

    /// The periods of the totals, as a row names them.
    enum Period: String {
        case complete = "complete days"
        /// As many days before, as on *Overview*.
        case before = "days before"
        case yesterday
        case soFar = "all days so far"
    }

    /// The windows, as a row names them.
    static let windows = ["first window", "second window", "third window", "all windows"]
    static let windowsSoFar = "all windows, all days so far"

    func plan(
        _ part: Part, id: String, _ heading: String, _ remark: String?, _ columns: [FigureColumn],
        rowRemark: @escaping @Sendable (FigureRows) -> String? = { _ in nil },
        tiles: @escaping @Sendable (FigureRows) -> [Tile] = { _ in [] },
        chart: (@Sendable (FigureRows) -> ChartData)? = nil, isTableOpen: Bool = false
    ) -> FigurePlan {
        FigurePlan(
            id: id, heading: heading, remark: remark, rowRemark: rowRemark, question: question(part),
            columns: columns, tiles: tiles, chart: chart, isTableOpen: isTableOpen, advice: filters.advice)
    }

    static let names =
        [
            "part", "place", "period", "first_day", "last_day", "days", "installs", "spend", "without_rate",
            "cost_per_install_low", "cost_per_install", "cost_per_install_high",
        ] + counts + ["missing_share"] + revenues + [
            "return_low", "return", "return_high", "complete", "complete_up_to", "begins",
        ]
        + ["first", "second", "third", "advice"]

    /// Counts of winning postbacks of the windows of a row.
    static let counts = [
        "postbacks", "mapped", "withheld", "not_set", "not_applicable", "unmapped", "ambiguous", "no_scheme",
        "revenue_without_rate",
    ]
    static let revenues = ["revenue_low", "revenue_middle", "revenue_high"]
}
