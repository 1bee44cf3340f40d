import PageFigures
import PageRequests
import PostgresClient
import Reports

extension OneCampaignScreen {
    /// The lines of the campaign, with the days on which they are its own: `line`, `from_day`, `to_day`, `ad_groups`,
    /// `creatives`.
    private static func lines(
        _ campaign: CampaignFilter, _ filters: PageFilters, _ values: inout StatementValues
    ) -> String {
        let (first, last) = (
            values.bind(.date(filters.days.lowerBound)), values.bind(.date(filters.days.upperBound))
        )
        let app = filters.app.flatMap(Int64.init).map { values.bind(.integer($0)) }
        var conditions = ["line.environment = \(values.bind(.text(filters.environment)))", "NOT line.developer_copy"]
        if let ids = filters.networkIDs { conditions.append(values.isOne("line.ad_network_id", of: ids)) }
        if let app { conditions.append("line.advertised_app_id = \(app)") }
        guard campaign.ids != nil else {
            conditions.append(campaign.isReceived("line.campaign", &values))
            return """
                SELECT line, \(first) AS from_day, \(last) AS to_day, NULL AS ad_groups, NULL AS creatives
                  FROM attribution.line
                 WHERE \(conditions.joined(separator: " AND "))
                """
        }
        conditions.append(campaign.isOne("named.campaign_id", &values))
        return """
            SELECT part.line, part.from_day, part.to_day,
                   string_agg(DISTINCT coalesce(ad_group_name, ad_group_id), ', ') AS ad_groups,
                   string_agg(DISTINCT coalesce(creative_name, creative_id), ', ') AS creatives
              FROM attribution.line_mapping(\(first), \(last), \(app ?? "NULL")) AS part
              JOIN attribution.campaign_mapping AS named USING (mapping)
              JOIN attribution.line ON line.line = part.line
             WHERE \(conditions.joined(separator: " AND "))
             GROUP BY part.line, part.from_day, part.to_day
            """
    }

    /// The identifiers as received that are the campaign's.
    static func identifiers(_ campaign: CampaignFilter, _ filters: PageFilters) -> FigurePlan {
        let names = [
            "campaign", "campaign_type", "ad_network_id", "advertised_app_id", "ad_groups", "creatives", "first_day",
            "last_day", "installs", "postbacks", "missing_share",
        ]
        let question = FigureQuestion(names) { values in
            """
            SELECT line.campaign, line.campaign_type, line.ad_network_id, line.advertised_app_id,
                   string_agg(DISTINCT ad_groups, ', ') AS ad_groups, string_agg(DISTINCT creatives, ', ') AS creatives,
                   min(own.from_day) AS first_day, max(own.to_day) AS last_day, \(counts)
              FROM (
            \(lines(campaign, filters, &values))
            ) AS own
              JOIN attribution.line ON line.line = own.line
              LEFT JOIN LATERAL attribution.answers_of_line(line.line, 'install', 'campaign', false, own.from_day, own.to_day)
                     AS answer ON answer.did_win AND answer.sequence_index = 0
             GROUP BY line.campaign, line.campaign_type, line.ad_network_id, line.advertised_app_id
             ORDER BY installs DESC, line.ad_network_id, line.campaign_type, line.campaign
             LIMIT 1000
            """
        }
        let isMapped = campaign.ids != nil
        let canBeNamed = !isMapped && campaign.owners.isEmpty
        return FigurePlan(
            id: "identifiers", heading: "Its identifiers as received",
            remark: isMapped
                ? "Identifiers that the mapping gives to it on these days. If the mapping divides one by country or source "
                    + "app, these are the figures of the whole identifier."
                : "The whole identifier, also on days on which the mapping names it."
                    + (canBeNamed ? " Choose it to give it a name." : ""),
            question: question,
            columns: [
                FigureColumn(
                    "campaign", "Identifier", isHeader: true,
                    link: { canBeNamed ? naming(filters, $0) : nil }),
                FigureColumn("campaign_type", "Type"), FigureColumn("ad_network_id", "Network"),
                FigureColumn("advertised_app_id", "App"), FigureColumn("ad_groups", "Ad groups"),
                FigureColumn("creatives", "Creatives"), FigureColumn("first_day", "From"),
                FigureColumn("last_day", "To"), FigureColumn("installs", "Installs", .integer),
                FigureColumn("postbacks", "Postbacks, first window", .integer),
                FigureColumn("missing_share", "Share without a value", .share),
            ],
            advice: isMapped
                ? "No postback of these days has an identifier that the mapping gives to it. Mapping has its rows."
                : filters.advice)
    }

    /// The apps and sites that showed the ads, as far as Apple names them.
    static func sources(_ campaign: CampaignFilter, _ filters: PageFilters) -> FigurePlan {
        func question(_ limit: Int) -> FigureQuestion {
            FigureQuestion(["source_app_id", "source_domain", "installs", "postbacks", "missing_share"]) { values in
                """
                SELECT attribution.source_app_id(source) AS source_app_id, source_domain, \(counts)
                  FROM (
                \(lines(campaign, filters, &values))
                ) AS own
                 CROSS JOIN LATERAL attribution.answers_of_line(own.line, 'install', 'source', false, own.from_day, own.to_day)
                         AS answer
                  LEFT JOIN attribution.source USING (source)
                 WHERE answer.did_win AND answer.sequence_index = 0
                 GROUP BY source_app_id, source_domain
                 ORDER BY installs DESC, source_app_id, source_domain
                 LIMIT \(limit)
                """
            }
        }
        return FigurePlan(
            id: "sources", heading: "Its source apps and sites",
            remark:
                "Apple names the source in tier 3 only. The row without one has all others. The first 50; SQL and CSV have "
                + "up to 100,000.",
            question: question(FigurePlan.greatestRows), first: question(50),
            columns: [
                FigureColumn("source_app_id", "Source app", isHeader: true),
                FigureColumn("source_domain", "Source domain"), FigureColumn("installs", "Installs", .integer),
                FigureColumn("postbacks", "Postbacks, first window", .integer),
                FigureColumn("missing_share", "Share without a value", .share),
            ], advice: filters.advice)
    }

    /// Winning answers of the first window.
    private static let counts = """
        coalesce(sum(answer.postbacks - answer.redownloads - answer.reengagements), 0) AS installs,
               coalesce(sum(answer.postbacks), 0) AS postbacks,
               attribution.per(sum(answer.postbacks - answer.fine - answer.coarse), sum(answer.postbacks)) AS missing_share
        """
}
