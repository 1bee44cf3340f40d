import AdAttribution
import Reports

/// *Versions and windows*: what came of each version, and what the windows of an install week brought.
enum WindowScreen {
    static let place = ScreenPlace(path: "/windows", name: "Versions and windows", hasFilters: true)

    static func content(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> ScreenContent {
        ScreenContent(
            introduction:
                "A window is a postback of its own, and nothing links the windows of one person. So postbacks of "
                + "several windows must not be added. Revenue may be.",
            plans: [try versions(filters, reports), try cohorts(filters, reports)])
    }

    private static func versions(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let counts = ["postbacks", "fine", "coarse", "withheld", "not_set", "not_applicable", "mapped", "unmapped"]
        let summary = try reports.summary(
            reports.installs(orByCampaign: "install_traits"), [("did_win", "true")],
            by: ["protocol", "version", "sequence_index"], counts.map { .init($0, .sum([$0])) })
        return FigurePlan(
            id: "versions", heading: "Winning postbacks by version and window",
            remark:
                "By the day of the install. A high share of not set or unmapped values is a bug of the app or of its scheme.",
            question: FigureQuestion(summary),
            columns: [
                FigureColumn("protocol", "Protocol", isHeader: true),
                FigureColumn("version", "Version", isHeader: true),
                FigureColumn("sequence_index", "Window", isHeader: true),
                FigureColumn("postbacks", "Postbacks", .integer),
                FigureColumn("fine", "Fine", .integer),
                FigureColumn("coarse", "Coarse", .integer),
                FigureColumn("withheld", "Withheld", .integer),
                FigureColumn("not_set", "Not set", .integer),
                FigureColumn("not_applicable", "Not applicable", .integer),
                FigureColumn("mapped", "Mapped", .integer),
                FigureColumn("unmapped", "Unmapped", .integer),
            ],
            chart: { rows in
                ChartData(
                    places: zip(rows.labels("version"), rows.labels("sequence_index")).map {
                        "\($0 == "none" ? "AdAttributionKit" : $0) · \($1)"
                    },
                    series: [
                        .init("Fine", rows.numbers("fine")), .init("Coarse", rows.numbers("coarse")),
                        .init("Withheld", rows.numbers("withheld")), .init("Not set", rows.numbers("not_set")),
                        .init("Not applicable", rows.numbers("not_applicable")),
                    ])
            }, advice: filters.advice)
    }

    private static func cohorts(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let currency = ["currency": filters.currency]
        let summary = try reports.summary(
            "cohort", by: ["week"],
            (0...2).flatMap { window -> [ReportSummary.Figure] in
                [
                    .init("postbacks_\(window)", .sum(["postbacks_\(window)"])),
                    .init(
                        "revenue_\(window)_middle", .wholeSum("revenue_\(window)_middle", of: "mapped_\(window)"),
                        where: currency),
                    .init("complete_\(window)", .every("complete_\(window)")),
                ]
            })
        return FigurePlan(
            id: "cohorts", heading: "Windows of an install week, \(filters.currency)",
            remark: "Winning postbacks, and the middle of their revenue; – if the revenue of a value is unknown.",
            question: FigureQuestion(summary),
            columns: [FigureColumn("week", "Week from", isHeader: true)]
                + (0...2).flatMap { window in
                    [
                        FigureColumn("postbacks_\(window)", "Window \(window)", .integer),
                        FigureColumn("revenue_\(window)_middle", "Revenue \(window)", .money),
                        FigureColumn("complete_\(window)", "State \(window)", .complete),
                    ]
                },
            chart: { rows in
                ChartData(
                    places: rows.labels("week"),
                    series: (0...2).map { .init("Window \($0)", rows.numbers("revenue_\($0)_middle")) },
                    isIncomplete: rows.isIncomplete("complete_2"))
            }, advice: filters.advice)
    }
}
