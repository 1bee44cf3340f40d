import PageFigures
import PageRequests
import PostgresClient
import Reports

extension OneCampaignScreen {
    private static let shown = 20

    /// Refused bodies that name the campaign, the last ones first.
    static func refused(_ campaign: CampaignFilter, _ filters: PageFilters) -> FigurePlan {
        let names = ["last_seen", "reason", "detail", "transaction_id", "campaign", "attempts", "key"]
        let question = FigureQuestion(names) { values in
            let (first, last) = (
                values.bind(.date(filters.days.lowerBound)), values.bind(.date(filters.days.upperBound))
            )
            var conditions = [
                "last_seen_at >= attribution.day_begins(\(first))",
                "last_seen_at < attribution.day_begins(\(last) + 1)",
            ]
            if let ids = filters.networkIDs { conditions.append(values.isOne("ad_network_id", of: ids)) }
            if let app = filters.app.flatMap(Int64.init) {
                conditions.append("advertised_app_id = \(values.bind(.integer(app)))")
            }
            conditions.append(
                campaign.ids == nil
                    ? campaign.isReceived("campaign", &values)
                    : """
                    (SELECT \(campaign.isOne("named.campaign_id", &values))
                              FROM attribution.campaign_mapping AS named
                             WHERE named.mapping = attribution.campaign_mapping_of(
                                   body.ad_network_id, NULL, body.campaign_type, body.campaign, body.advertised_app_id, NULL,
                                   NULL, attribution.day_of(body.last_seen_at)))
                    """)
            return """
                SELECT to_char(last_seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS last_seen, reason, detail,
                       transaction_id, campaign, attempts, encode(key, 'hex') AS key
                  FROM attribution.rejected_postback AS body
                 WHERE \(conditions.joined(separator: " AND "))
                 ORDER BY last_seen_at DESC, body.key DESC
                 LIMIT \(shown)
                """
        }
        return FigurePlan(
            id: "refused", heading: "Refused bodies that name it",
            remark:
                "The last \(shown) of these days. Nobody has verified what they say, unless Apple signed them. The mapping is "
                + "asked without country and source app.",
            question: question,
            columns: [
                .lastSeen { row in row["key"].map { filters.address("\(RefusedFilters.path)/\($0)", []) } },
                FigureColumn("reason", "Reason"), FigureColumn("detail", "Detail"),
                FigureColumn("transaction_id", "Transaction"), FigureColumn("campaign", "Identifier"),
                FigureColumn("attempts", "Attempts", .integer),
            ], advice: "No body of the quarantine names it on these days. Refused has all bodies.")
    }

    /// Where the archive of the other side differs.
    static func copies(_ campaign: CampaignFilter, _ filters: PageFilters) -> FigurePlan {
        let counts = ["postbacks", "matched", "value_differs", "signed_differs", "only_here", "only_there"]
        let question = FigureQuestion(["run", "file", "side"] + counts + ["matched_share"]) { values in
            var conditions = [
                "environment = \(values.bind(.text(filters.environment)))", campaign.isReceived("campaign", &values),
            ]
            if let ids = filters.networkIDs { conditions.append(values.isOne("ad_network_id", of: ids)) }
            if let app = filters.app.flatMap(Int64.init) {
                conditions.append("advertised_app_id = \(values.bind(.integer(app)))")
            }
            return """
                SELECT run, file, side, \(counts.map { "sum(\($0)) AS \($0)" }.joined(separator: ", ")),
                       attribution.per(sum(matched), sum(postbacks)) AS matched_share
                  FROM attribution.report_copy_agreement_all
                 WHERE \(conditions.joined(separator: " AND "))
                 GROUP BY run, file, side
                 ORDER BY run DESC
                 LIMIT \(shown)
                """
        }
        return FigurePlan(
            id: "copies", heading: "Its copies",
            remark:
                "How archives of the other side agree with its identifiers as received, by run; the days are not used. "
                + "Choose a run to see the differences.",
            question: question,
            columns: [
                FigureColumn("run", "Run", isHeader: true, link: { _ in filters.address(CopyScreen.place.path, []) }),
                FigureColumn("file", "File"), FigureColumn("side", "Of"),
                FigureColumn("postbacks", "Postbacks", .integer), FigureColumn("matched", "Matched", .integer),
                FigureColumn("value_differs", "Other value", .integer),
                FigureColumn("signed_differs", "Other signed field", .integer),
                FigureColumn("only_here", "Only here", .integer), FigureColumn("only_there", "Only there", .integer),
                FigureColumn("matched_share", "Matched share", .share),
            ], advice: "No archive was compared that has its identifiers. “PostbackServer reconcile FILE” compares one."
        )
    }
}
