/// A column of a report.
package struct ReportColumn: Sendable, Equatable {
    /// The name, as the database has it.
    package let name: String
    /// What its values are.
    package let form: ReportValue.Form
    /// What it means, and its unit: the comment of the column in the database.
    package let meaning: String

    /// Whether it says what a row is about, and not how much.
    ///
    /// The dimensions of a report are its key: no two rows have the same.
    package var isDimension: Bool { Self.dimensions.contains(name) }

    /// The dimensions of all reports.
    static let dimensions: Set<String> = [
        "environment", "developer_copy", "day", "week", "protocol", "version", "ad_network_id", "network_name",
        "campaign_type", "campaign", "digits", "source_identifier", "advertised_app_id", "campaign_id", "campaign_name",
        "ad_group_id", "ad_group_name", "creative_id", "creative_name", "geo", "kind", "redownload", "conversion_type",
        "fidelity_type", "ad_interaction_type", "marketplace_identifier", "country_code", "source_app", "source_app_id",
        "source_domain", "event", "sequence_index", "did_win", "conversion_value", "coarse_value", "currency",
        "volume_low", "volume_high", "run", "file", "side",
    ]
}
