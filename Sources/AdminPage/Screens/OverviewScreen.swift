import AdAttribution
import Foundation
import PageFigures
import PageRequests
import PageViews
import PostgresClient

/// *Overview*: what the ads brought and cost, day by day, and whether the intake is well.
enum OverviewScreen {
    static let place = ScreenPlace(path: "/", name: "Overview")

    /// Whether spend is known of what the filters choose.
    ///
    /// It is known by mapped campaign, so an identifier as received has none.
    static func hasSpend(_ filters: PageFilters) -> Bool {
        if case .received = filters.campaign { false } else { true }
    }

    static func content(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> ScreenContent {
        let days = try days(filters, reports)
        let intake = intake(filters)
        let refused = refused(filters)
        let advice = filters.advice
        let day = FigureColumn(
            "day", "Day", isHeader: true,
            link: { row in row["day"].flatMap { filters.address(place.path, day: $0) } })
        let bodies: @Sendable (String) -> String? = { day in
            filters.address(RefusedFilters.path, RefusedFilters.parameters(day: day))
        }
        let complete = FigureColumn("complete", "State", .complete)
        let currency = filters.currency
        func plan(
            _ id: String, _ heading: String, _ remark: String, _ columns: [FigureColumn], adding added: [String] = [],
            _ chart: @escaping @Sendable (FigureRows) -> ChartData
        ) -> FigurePlan {
            FigurePlan(
                id: id, heading: heading, remark: remark, question: days, added: added,
                columns: [day] + columns + [complete], chart: chart, advice: advice)
        }
        let receivedNotices: [String] =
            hasSpend(filters)
            ? []
            : [
                "Spend is known by mapped campaign only. So an identifier as received has no spend and no return (–).",
                "Campaigns with most installs: " + CampaignScreen.receivedNotice,
            ]
        return ScreenContent(
            introduction:
                "What the ads brought, by the day of the install. A day is not complete while more postbacks of "
                + "its first window can arrive.",
            notices: filters.currencyNotices + receivedNotices,
            plans: [
                try totals(filters, reports),
                plan(
                    "installs", "Installs by day", "Winning postbacks of the first window, by kind.",
                    [
                        FigureColumn("installs", "Installs", .integer),
                        FigureColumn("redownloads", "Redownloads", .integer),
                        FigureColumn("reengagements", "Re-engagements", .integer),
                    ], adding: ["installs", "redownloads", "reengagements"]
                ) { rows in
                    chart(
                        rows, filters,
                        [
                            ("installs", "Installs"), ("redownloads", "Redownloads"),
                            ("reengagements", "Re-engagements"),
                        ], zeros: ["installs", "redownloads", "reengagements"])
                },
                plan(
                    "revenue", "Revenue by day, \(currency)",
                    "Of the first window, as mapped values say: the middle, and lines from the least to the greatest. It is "
                        + "not known (–) if no value is mapped, if one has no revenue or no rate. Withheld values bring "
                        + "nothing here; Campaigns has modelled revenue.",
                    [
                        FigureColumn("revenue_low", "At least", .money),
                        FigureColumn("revenue_middle", "Middle", .money),
                        FigureColumn("revenue_high", "At most", .money),
                        FigureColumn("mapped", "Mapped values", .integer),
                        FigureColumn("revenue_without_rate", "Of them without a rate", .integer),
                    ]
                ) { rows in
                    chart(
                        rows, filters, [("revenue_middle", "Middle of the revenue")],
                        zeros: ["revenue_middle"],
                        range: ("revenue_low", "revenue_high"))
                },
                plan(
                    "spend", "Spend and return by day, \(currency)",
                    "Spend as networks report it, converted at the rate of its day. The return is the middle of the "
                        + "revenue of the first window, divided by the spend. It is not complete while that revenue is "
                        + "not; spend is, but for today's. Spend belongs to no environment, so a day without postbacks has "
                        + "no return (–). An identifier as received has neither.",
                    [
                        FigureColumn("spend", "Spend", .money),
                        FigureColumn("without_rate", "Rows without a rate", .integer),
                        FigureColumn("return", "Return (ROAS)", .share),
                        FigureColumn("return_low", "At least", .share),
                        FigureColumn("return_high", "At most", .share),
                    ]
                ) { rows in
                    spend(rows, filters)
                },
                plan(
                    "missing", "Missing values by kind and day",
                    "Of winning postbacks of the first window. Withheld: Apple kept the value back. Not set: the app "
                        + "set none. Not applicable: the version has no values.",
                    [
                        FigureColumn("postbacks", "Postbacks", .integer),
                        FigureColumn("withheld", "Withheld", .integer),
                        FigureColumn("not_set", "Not set", .integer),
                        FigureColumn("not_applicable", "Not applicable", .integer),
                        FigureColumn("missing_share", "Share without a value (null rate)", .share),
                    ], adding: ["postbacks", "withheld", "not_set", "not_applicable"]
                ) { rows in
                    missing(rows, filters)
                },
                try CampaignScreen.most(filters, reports),
                FigurePlan(
                    id: "intake", heading: "Postbacks received by day",
                    remark: "By the day of arrival. A conflict is a delivery whose value was ignored.",
                    question: intake, added: ["received", "assists", "later_windows", "raised", "conflicts"],
                    columns: [
                        day, FigureColumn("received", "Postbacks", .integer),
                        FigureColumn("assists", "Of them assists", .integer),
                        FigureColumn("later_windows", "Of them later windows", .integer),
                        FigureColumn("raised", "Raised values", .integer),
                        FigureColumn("conflicts", "Conflicts", .integer),
                    ],
                    tiles: { rows in
                        let (received, conflicts) = ("\(rows.sum("received"))", "\(rows.sum("conflicts"))")
                        let form = FigureColumn.Form.integer
                        return [
                            Tile(
                                "Postbacks received", .init(form.shown(received), exact: received),
                                note: "\(form.shown(conflicts)) conflicts")
                        ]
                    },
                    chart: { rows in
                        chart(
                            rows, filters, [("received", "Postbacks")], zeros: ["received"],
                            isIncomplete: filters.isNotOver)
                    }, advice: advice),
                FigurePlan(
                    id: "refused", heading: "Refused bodies by day",
                    remark:
                        "What is in the quarantine now, by the day on which it came last; of all networks and apps. A day leads to "
                        + "its bodies.",
                    question: refused, added: ["signed_by_apple", "others"],
                    columns: [
                        FigureColumn("day", "Day", isHeader: true, link: { row in row["day"].flatMap(bodies) }),
                        FigureColumn("signed_by_apple", "Signed by Apple", .integer),
                        FigureColumn("others", "Others", .integer),
                    ],
                    chart: { rows in
                        chart(
                            rows, filters, [("signed_by_apple", "Signed by Apple"), ("others", "Others")],
                            zeros: ["signed_by_apple", "others"], isIncomplete: filters.isNotOver,
                            link: bodies)
                    },
                    advice: "No refused body of these days is in the quarantine. Nothing is to be done."),
            ], isPaired: true, isCompared: true)
    }
}
