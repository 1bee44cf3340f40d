import AdAttribution
import PageFigures
import PageRequests
import Reports

/// *Copies*: where the archive of the other side and the postbacks here differ.
enum CopyScreen {
    static let place = ScreenPlace(path: "/copies", name: "Copies")

    static func content(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> ScreenContent {
        ScreenContent(
            introduction: "What a network and a developer have of the same postbacks, as “PostbackServer reconcile” "
                + "compared them. The days are not used here: a run is of the days of its file.",
            notices: filters.identifierNotices,
            plans: [try agreement(filters, reports), differences(filters)])
    }

    private static let advice =
        "No archive was compared in this environment. Get the archive of the other side, and run “PostbackServer "
        + "reconcile FILE”."

    private static func agreement(_ filters: PageFilters, _ reports: ScreenReports) throws(FieldError) -> FigurePlan {
        let counts = ["postbacks", "matched", "value_differs", "signed_differs", "only_here", "only_there"]
        let summary = try reports.summary(
            "copy_agreement", [("developer_copy", "true"), ("developer_copy", "false")],
            by: ["run", "file", "side", "ad_network_id"],
            counts.map { .init($0, .sum([$0])) } + [.init("matched_share", .ratio(["matched"], ["postbacks"]))],
            sort: "-run", limit: 200)
        return FigurePlan(
            id: "agreement", heading: "Agreement by run and network",
            remark: "Only here and only there are postbacks that the other side does not have.",
            question: FigureQuestion(summary),
            columns: [
                FigureColumn("run", "Run", isHeader: true),
                FigureColumn("file", "File"),
                FigureColumn("side", "Of"),
                FigureColumn("ad_network_id", "Network"),
                FigureColumn("postbacks", "Postbacks", .integer), FigureColumn("matched", "Matched", .integer),
                FigureColumn("value_differs", "Other value", .integer),
                FigureColumn("signed_differs", "Other signed field", .integer),
                FigureColumn("only_here", "Only here", .integer), FigureColumn("only_there", "Only there", .integer),
                FigureColumn("matched_share", "Matched share", .share),
            ], isOfDays: false, advice: advice)
    }

    private static func differences(_ filters: PageFilters) -> FigurePlan {
        let names = [
            "run", "outcome", "value_difference", "ad_network_id", "transaction_id", "sequence_index", "campaign",
            "advertised_app_id", "value", "other_value", "received_at", "file_line",
        ]
        let question = FigureQuestion(names) { values in
            var conditions = ["environment = \(values.bind(.text(filters.environment)))"]
            if let ids = filters.networkIDs { conditions.append(values.isOne("ad_network_id", of: ids)) }
            if let app = filters.app.flatMap(Int64.init) {
                conditions.append("advertised_app_id = \(values.bind(.integer(app)))")
            }
            if let campaign = filters.campaign { conditions.append(campaign.isReceived("campaign", &values)) }
            return """
                SELECT run, outcome, value_difference, ad_network_id, transaction_id, sequence_index, campaign,
                       advertised_app_id, coalesce(conversion_value::text, coarse_value) AS value,
                       coalesce(other_conversion_value::text, other_coarse_value) AS other_value,
                       to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS received_at, file_line
                  FROM attribution.copy_difference_all
                 WHERE \(conditions.joined(separator: " AND "))
                 ORDER BY run DESC, outcome, transaction_id, sequence_index, did_win
                 LIMIT 200
                """
        }
        return FigurePlan(
            id: "differences", heading: "Differences", remark: "The first 200, of the newest runs first.",
            question: question,
            columns: [
                FigureColumn("transaction_id", "Transaction", isHeader: true),
                FigureColumn("run", "Run"), FigureColumn("outcome", "Outcome"),
                FigureColumn("value_difference", "Difference"),
                FigureColumn("ad_network_id", "Network"), .window(),
                FigureColumn("campaign", "Campaign, as received", link: { OneCampaignScreen.address(filters, $0) }),
                .app(filters), FigureColumn("value", "Value here"),
                FigureColumn("other_value", "Value there"),
                FigureColumn("received_at", "Received here (UTC)"), FigureColumn("file_line", "Line of the file"),
            ], isOfDays: false,
            advice: "The two sides agree, or no archive was compared. “PostbackServer reconcile FILE” compares one.")
    }
}
