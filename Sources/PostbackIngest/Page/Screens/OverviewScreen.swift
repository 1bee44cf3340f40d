import AdAttribution
import AdminPage
import Foundation
import PostbackStore
import PostgresClient

/// *Overview*: what the ads brought and cost, day by day, and whether the intake is well.
enum OverviewScreen {
    static let place = ScreenPlace(path: "/", name: "Overview", hasFilters: true)

    static func content(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> ScreenContent {
        let days = try days(filters, reports)
        let intake = try intake(reports)
        let refused = refused(filters)
        let advice = filters.advice
        let day = FigureColumn(name: "day", label: "Day (UTC)", form: .text, isHeader: true)
        let complete = FigureColumn(name: "complete", label: "State", form: .complete)
        let currency = filters.currency
        func plan(
            _ id: String, _ heading: String, _ remark: String, _ columns: [FigureColumn],
            _ chart: @escaping @Sendable (FigureRows) -> ChartData
        ) -> FigurePlan {
            FigurePlan(
                id: id, heading: heading, remark: remark, question: days, columns: [day] + columns + [complete],
                chart: chart, advice: advice)
        }
        let spendNotice =
            filters.campaign == nil
            ? [] : ["Spend is known by mapped campaign. The filter on the campaign is not used for spend and return."]
        return ScreenContent(
            introduction:
                "What the ads brought, by the day of the install. A day is not complete while more postbacks of "
                + "its first window can arrive.",
            notices: spendNotice,
            plans: [
                try totals(filters, reports),
                plan(
                    "installs", "Installs by day", "Winning postbacks of the first window, by kind.",
                    [
                        integer("installs", "Installs"), integer("redownloads", "Redownloads"),
                        integer("reengagements", "Re-engagements"),
                    ]
                ) { rows in
                    chart(
                        "installs", "Installs by day", rows,
                        [
                            ("installs", "Installs"), ("redownloads", "Redownloads"),
                            ("reengagements", "Re-engagements"),
                        ])
                },
                plan(
                    "revenue", "Revenue by day, \(currency)",
                    "Of the first window, as known values say: the middle of their ranges, and lines from the least to "
                        + "the greatest revenue. Withheld values bring nothing here. Campaigns has modelled revenue.",
                    [
                        money("revenue_low", "At least"), money("revenue_middle", "Middle"),
                        money("revenue_high", "At most"),
                    ]
                ) { rows in
                    revenue(rows, currency)
                },
                plan(
                    "spend", "Spend and return by day, \(currency)",
                    "Spend as networks report it, converted at the rate of its day. The return is the middle of the "
                        + "revenue of the first window, divided by the spend.",
                    [
                        money("spend", "Spend"), integer("without_rate", "Rows without a rate"),
                        share("return", "Return"),
                    ]
                ) { rows in
                    chart("spend", "Spend by day, \(currency)", rows, [("spend", "Spend")])
                },
                plan(
                    "missing", "Missing values by kind and day",
                    "Of winning postbacks of the first window. Withheld: Apple kept the value back. Not set: the app "
                        + "set none. Not applicable: the version has no values.",
                    [
                        integer("postbacks", "Postbacks"), integer("withheld", "Withheld"),
                        integer("not_set", "Not set"),
                        integer("not_applicable", "Not applicable"), share("missing_share", "Share without a value"),
                    ]
                ) { rows in
                    missing(rows)
                },
                try CampaignScreen.most(filters, reports),
                FigurePlan(
                    id: "intake", heading: "Postbacks received by day",
                    remark: "By the day of arrival. A conflict is a delivery whose value was ignored.",
                    question: intake,
                    columns: [
                        day, integer("received", "Postbacks"), integer("assists", "Of them assists"),
                        integer("later_windows", "Of them later windows"), integer("raised", "Raised values"),
                        integer("conflicts", "Conflicts"),
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
                        let today = "\(reports.today)"
                        return chart(
                            "intake", "Postbacks received by day", rows, [("received", "Postbacks")],
                            isIncomplete: rows.texts("day").map { $0 == today })
                    }, advice: advice),
                FigurePlan(
                    id: "refused", heading: "Refused bodies by day",
                    remark:
                        "What is in the quarantine now, by the day on which it came last; of all networks and apps.",
                    question: refused,
                    columns: [day, integer("signed_by_apple", "Signed by Apple"), integer("others", "Others")],
                    chart: { rows in
                        chart(
                            "refused", "Refused bodies by day", rows,
                            [
                                ("signed_by_apple", "Signed by Apple"),
                                ("others", "Others"),
                            ], isIncomplete: rows.rows.map { _ in false })
                    },
                    advice: "No refused body of these days is in the quarantine. Nothing is to be done."),
            ], isPaired: true)
    }

    static func integer(_ name: String, _ label: String) -> FigureColumn {
        FigureColumn(name: name, label: label, form: .integer)
    }

    static func money(_ name: String, _ label: String) -> FigureColumn {
        FigureColumn(name: name, label: label, form: .money)
    }

    static func share(_ name: String, _ label: String) -> FigureColumn {
        FigureColumn(name: name, label: label, form: .share)
    }
}
