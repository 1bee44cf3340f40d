import AdAttribution
import PageFigures
import PageRequests
import PageViews
import PostgresClient
import Reports

/// *Versions and windows*: what came of each version, and what the windows of an install week brought.
enum WindowScreen {
    static let place = ScreenPlace(path: "/windows", name: "Versions and windows")

    static func content(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> ScreenContent {
        ScreenContent(
            introduction:
                "A window is a postback of its own, and nothing links the windows of one person. So postbacks of "
                + "several windows must not be added. Revenue may be.",
            notices: filters.identifierNotices,
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
                .window(isHeader: true),
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
                        "\($0 == "none" ? "AdAttributionKit" : $0) · \(WindowName.text($1))"
                    },
                    series: [
                        .init("Fine", rows.numbers("fine")), .init("Coarse", rows.numbers("coarse")),
                        .init("Withheld", rows.numbers("withheld")), .init("Not set", rows.numbers("not_set")),
                        .init("Not applicable", rows.numbers("not_applicable")),
                    ])
            }, advice: filters.advice)
    }

    private static func cohorts(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let windows = 0...2
        // By day, since each day has its own currency rate.
        let summary = try reports.summary(
            reports.installs(orByCampaign: "install_campaign", orByName: "install_mapping", daily: true),
            [("did_win", "true")], by: ["day"],
            windows.flatMap { window -> [ReportSummary.Figure] in
                let one = ["sequence_index": "\(window)"]
                return [
                    .init("postbacks_\(window)", .sum(["postbacks"]), where: one),
                    .init("mapped_\(window)", .sum(["mapped"]), where: one),
                    .init(
                        "revenue_\(window)", .money("revenue_middle", of: "mapped", in: filters.currency), where: one),
                    .init("complete_\(window)", .every("complete"), where: one),
                ]
            })
        let names = windows.flatMap { ["postbacks_\($0)", "revenue_\($0)_middle", "complete_\($0)"] }
        return FigurePlan(
            id: "cohorts", heading: "Windows of an install week, \(filters.currency)",
            remark:
                "Winning postbacks, and the middle of their revenue; – if the revenue of a value is unknown, no value is "
                + "mapped, or a currency rate is missing. A week of which only a part is in the range says how many of "
                + "its days are.",
            question: FigureQuestion(["week", "part"] + names) { values in
                weeks(summary, filters, windows, &values)
            },
            columns: [FigureColumn("week", "Week from", isHeader: true), FigureColumn("part", "Days in the range")]
                + windows.flatMap { window -> [FigureColumn] in
                    let name = WindowName.numbered("\(window)")
                    return [
                        FigureColumn("postbacks_\(window)", "Postbacks, \(name)", .integer),
                        FigureColumn("revenue_\(window)_middle", "Revenue, \(name)", .money),
                        FigureColumn("complete_\(window)", "State, \(name)", .complete),
                    ]
                },
            chart: { rows in
                ChartData(
                    places: zip(rows.labels("week"), rows.labels("part")).map { week, part in
                        part == wholeWeek ? week : "\(week) · \(part)"
                    },
                    series: windows.map {
                        .init(WindowName.numbered("\($0)"), rows.numbers("revenue_\($0)_middle"))
                    },
                    isIncomplete: rows.isIncomplete("complete_2"),
                    links: rows.labels("week").map { address(week: $0, filters) })
            }, advice: filters.advice)
    }

    private static let wholeWeek = "7 of 7"

    /// The address of a whole week; nil if its first day is none.
    private static func address(week: String, _ filters: PageFilters) -> String? {
        guard let first = PostgresDate(week) else { return nil }
        return filters.address(
            place.path,
            [("days", nil), ("from", week), ("to", "\(ChosenDays.day(first, plus: 6))"), ("compare", nil)])
    }

    /// Days summed by week; the last day of a week in the range decides whether it is complete.
    private static func weeks(
        _ summary: ReportSummary, _ filters: PageFilters, _ windows: ClosedRange<Int>, _ values: inout StatementValues
    ) -> String {
        let (first, last) = (values.bind(.date(filters.days.lowerBound)), values.bind(.date(filters.days.upperBound)))
        let isDevelopment = filters.environment == AttributionEnvironment.development.rawValue
        let cells = windows.flatMap { window in
            [
                "sum(postbacks_\(window)) AS postbacks_\(window)",
                """
                CASE WHEN count(*) FILTER (WHERE mapped_\(window) > 0) = count(revenue_\(window))
                            THEN sum(revenue_\(window)) END AS revenue_\(window)_middle
                """,
                """
                coalesce(bool_and(complete_\(window)), true)
                       AND attribution.is_complete(last_day, true, \(window)::smallint, NULL, (SELECT attribution.answers_up_to()),
                                                   \(isDevelopment)) AS complete_\(window)
                """,
            ]
        }
        return """
            SELECT week, days || ' of 7' AS part,
                   \(cells.joined(separator: ",\n       "))
              FROM (
            \(summary.text(&values))
            ) AS answers
             CROSS JOIN LATERAL (SELECT attribution.week(day) AS week) AS of_day
             CROSS JOIN LATERAL (SELECT least(week + 6, \(last)) AS last_day) AS end_of_week
             CROSS JOIN LATERAL (SELECT last_day - greatest(week, \(first)) + 1 AS days) AS in_range
             GROUP BY week, last_day, days
             ORDER BY week
            """
    }
}
