import TestSupport

/// What each postback says, with all of its dimensions, in a table `fact`; and what reports must say about it.
///
/// The figures are written down here a second time, on purpose.
enum AnswerFacts {
    /// Makes the table `fact` from the state of the postbacks.
    ///
    /// Names are looked up for each postback alone.
    static let table = """
        CREATE TABLE fact AS
        SELECT line.environment, line.developer_copy, line.protocol, line.ad_network_id, line.campaign_type,
               line.campaign, line.advertised_app_id, regexp_replace(line.ad_network_id, '\\..*', '') AS network_name,
               traits.version, traits.kind, traits.redownload, traits.conversion_type, traits.fidelity_type,
               traits.ad_interaction_type, traits.marketplace_identifier, traits.country_code,
               attribution.source_app_id(source) AS source_app_id, source_domain,
               a.sequence_index, a.did_win, a.value, a.currency, a.decoding, a.no_value_kind, a.tier_low, a.tier_high,
               a.scheme_valid_from, a.revenue_low, a.revenue_middle, a.revenue_high, a.install_day, a.complete,
               (a.received_at AT TIME ZONE 'UTC')::date AS arrival_day,
               attribution.campaign_mapping_of(
                   line.ad_network_id, line.protocol, line.campaign_type, line.campaign, line.advertised_app_id,
                   traits.country_code, coalesce(attribution.source_app_id(source)::text, source_domain), install_day) AS install_mapping,
               attribution.campaign_mapping_of(
                   line.ad_network_id, line.protocol, line.campaign_type, line.campaign, line.advertised_app_id,
                   traits.country_code, coalesce(attribution.source_app_id(source)::text, source_domain),
                   (a.received_at AT TIME ZONE 'UTC')::date) AS arrival_mapping
          FROM attribution.postback_answer AS a
          JOIN attribution.line USING (line)
          JOIN attribution.traits USING (traits)
          LEFT JOIN attribution.source USING (source)
        """

    private static func conversions(_ kind: String) -> String {
        "count(*) FILTER (WHERE did_win AND sequence_index = 0 AND kind = '\(kind)')"
    }

    /// The figures of a report and how they follow from rows of `fact`.
    static let figures: [(name: String, sql: String)] =
        [
            ("postbacks", "count(*)"), ("installs", conversions("install")), ("redownloads", conversions("redownload")),
            ("reengagements", conversions("re-engagement")),
            ("fine", "count(*) FILTER (WHERE value BETWEEN 0 AND 63)"),
            ("coarse", "count(*) FILTER (WHERE value > 63)"),
        ]
        + ["withheld", "not_set", "not_applicable"].map { ($0, "count(*) FILTER (WHERE no_value_kind = '\($0)')") }
        + ["mapped", "unmapped", "ambiguous", "no_scheme"].map { ($0, "count(*) FILTER (WHERE decoding = '\($0)')") }
        + (0...3).map { ("tier_\($0)", "count(*) FILTER (WHERE tier_low = \($0) AND tier_high = \($0))") }
        + [
            ("tier_unsure", "count(*) FILTER (WHERE tier_low < tier_high)"),
            ("revenue_low", "sum(revenue_low)"),
            (
                "revenue_middle",
                "CASE WHEN NOT coalesce(bool_or(decoding = 'mapped' AND revenue_middle IS NULL), false) "
                    + "THEN sum(revenue_middle) END"
            ),
            ("revenue_high", "sum(coalesce(revenue_high, revenue_low))"),
            ("revenue_open", "count(*) FILTER (WHERE decoding = 'mapped' AND revenue_high IS NULL)"),
        ]

    /// Those of an event.
    private static let eventFigures: [(name: String, sql: String)] = [
        ("postbacks", "count(*) FILTER (WHERE count_low > 0)"),
        ("possible", "count(*) FILTER (WHERE count_low = 0)"), ("count_low", "sum(count_low)"),
        ("count_high", "sum(coalesce(count_high, count_low))"),
        ("count_open", "count(*) FILTER (WHERE count_high IS NULL)"), ("revenue_low", "sum(event_low)"),
        (
            "revenue_middle",
            "CASE WHEN NOT bool_or(event_low = 0 AND event_high IS NULL) "
                + "THEN sum(round((event_low + coalesce(event_high, event_low)) / 2, 6)) END"
        ),
        ("revenue_high", "sum(coalesce(event_high, event_low))"),
        ("revenue_open", "count(*) FILTER (WHERE event_high IS NULL)"),
    ]

    private static let campaign = ["protocol", "ad_network_id", "campaign_type", "campaign", "advertised_app_id"]
    private static let row = ["sequence_index", "did_win", "currency"]

    /// A family of reports: its keys without environment, developer_copy and day; the figures; and the rows behind them,
    /// in which DAY stands for arrival or install.
    struct Family: Sendable {
        let name: String
        let keys: [String]
        var figures = AnswerFacts.figures
        var rows = "fact"

        /// The names of the figures.
        var names: String { figures.map(\.name).joined(separator: ", ") }

        /// What a report must say: by day, or over the days of a range, or for one app of it.
        func expected(_ day: String, byDay: Bool, where condition: String = "true") -> String {
            let keys = columns(byDay: byDay)
            return """
                SELECT \(keys), \(figures.map(\.sql).joined(separator: ", "))
                  FROM (SELECT *, \(day)_day AS day FROM \(rows.replacing("DAY", with: day)) AS r) AS rows
                 WHERE \(condition)
                 GROUP BY \(keys)
                """
        }

        /// The keys of a report.
        func columns(byDay: Bool) -> String {
            (["environment", "developer_copy"] + (byDay ? ["day"] : []) + keys).joined(separator: ", ")
        }
    }

    static let families: [Family] = [
        Family(name: "campaign", keys: campaign + row),
        Family(
            name: "source_identifier",
            keys: ["protocol", "ad_network_id", "advertised_app_id", "digits", "source_identifier"] + row,
            rows: """
                (SELECT *, right(campaign, digits) AS source_identifier
                   FROM fact, generate_series(least(length(campaign), 2), length(campaign)) AS digits
                  WHERE campaign_type = 'source-identifier')
                """),
        Family(
            name: "traits",
            keys: campaign + [
                "version", "kind", "redownload", "conversion_type", "fidelity_type", "ad_interaction_type",
                "marketplace_identifier", "country_code",
            ] + row),
        Family(name: "source", keys: campaign + ["source_app_id", "source_domain"] + row),
        Family(
            name: "version",
            keys: ["protocol", "ad_network_id", "campaign_type", "advertised_app_id", "version"] + row),
        Family(
            name: "app_source",
            keys: ["protocol", "ad_network_id", "campaign_type", "advertised_app_id", "source_app_id", "source_domain"]
                + row),
        Family(
            name: "mapping",
            keys: [
                "network_name", "advertised_app_id", "campaign_id", "campaign_name", "ad_group_id", "ad_group_name",
                "creative_id", "creative_name", "geo", "campaign_type", "campaign",
            ] + row,
            rows: """
                (SELECT environment, developer_copy, install_day, arrival_day, fact.network_name, fact.advertised_app_id,
                        campaign_id, campaign_name, ad_group_id, ad_group_name, creative_id, creative_name, geo,
                        CASE WHEN mapping IS NULL THEN fact.campaign_type END AS campaign_type,
                        CASE WHEN mapping IS NULL THEN campaign END AS campaign, sequence_index, did_win, kind, value,
                        currency, decoding, no_value_kind, tier_low, tier_high, revenue_low, revenue_middle, revenue_high
                   FROM fact LEFT JOIN attribution.campaign_mapping ON mapping = DAY_mapping)
                """),
        Family(
            name: "event", keys: campaign + ["sequence_index", "event", "currency"],
            figures: eventFigures,
            rows: """
                (SELECT fact.*, event, count_low, count_high, m.revenue_low AS event_low, m.revenue_high AS event_high
                   FROM fact
                   JOIN attribution.conversion_meaning AS m
                     ON m.advertised_app_id = fact.advertised_app_id AND m.valid_from = fact.scheme_valid_from
                    AND m.sequence_index = fact.sequence_index AND m.value = fact.value AND event IS NOT NULL)
                """),
        Family(
            name: "event_mapping",
            keys: [
                "network_name", "advertised_app_id", "campaign_id", "campaign_name", "ad_group_id", "ad_group_name",
                "creative_id", "creative_name", "geo", "campaign_type", "campaign", "sequence_index", "event",
                "currency",
            ],
            figures: eventFigures,
            rows: """
                (SELECT environment, developer_copy, install_day, arrival_day, fact.network_name, fact.advertised_app_id,
                        campaign_id, campaign_name, ad_group_id, ad_group_name, creative_id, creative_name, geo,
                        CASE WHEN mapping IS NULL THEN fact.campaign_type END AS campaign_type,
                        CASE WHEN mapping IS NULL THEN campaign END AS campaign, fact.sequence_index, currency, event,
                        count_low, count_high, m.revenue_low AS event_low, m.revenue_high AS event_high
                   FROM fact
                   JOIN attribution.conversion_meaning AS m
                     ON m.advertised_app_id = fact.advertised_app_id AND m.valid_from = fact.scheme_valid_from
                    AND m.sequence_index = fact.sequence_index AND m.value = fact.value AND event IS NOT NULL
                   LEFT JOIN attribution.campaign_mapping ON mapping = DAY_mapping)
                """),
    ]
}

extension TestDatabase {
    /// The rows that only one of two queries has.
    func differences(_ one: String, _ other: String) async throws -> [String?] {
        try await column(
            """
            SELECT r::text FROM ((\(one)) EXCEPT ALL (\(other))) AS r
            UNION ALL SELECT 'only in the second: ' || r::text FROM ((\(other)) EXCEPT ALL (\(one))) AS r
            LIMIT 10
            """)
    }
}
