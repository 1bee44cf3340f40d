import AdAttribution
import PostgresClient

/// A row of `attribution.postback` that was there before and that a delivery has just changed.
struct StoredPostback: Sendable, Equatable {
    let key: PostbackKeyColumns
    let day: PostgresDate
    let isDeveloperCopy: Bool
    let campaignType: String
    let campaign: String
    let advertisedAppID: Int64
    /// The id or domain, or the empty string.
    let sourceApp: String
    /// `install`, `redownload` or `re-engagement`.
    let kind: String
    let value: StoredValue
    let firstValue: StoredValue
    let previousValue: StoredValue

    /// The conversion value columns, as stored: at most one of the two is there.
    struct StoredValue: Sendable, Hashable {
        let fine: Int16?
        let coarse: String?
    }

    /// Expressions over the table's row, in the order in which `init` reads them.
    static let expressions = [
        day, "developer_copy", "campaign_type", "campaign", "advertised_app_id", sourceApp, kind,
        "conversion_value", "coarse_value", "first_conversion_value", "first_coarse_value",
        "previous_conversion_value", "previous_coarse_value",
    ]
    /// The UTC day of first receipt.
    static let day = "(received_at AT TIME ZONE 'UTC')::date"
    static let sourceApp = "coalesce(source_app_id::text, source_domain, '')"
    /// What the postback counts as; 1.0 tells nothing, and is an install.
    static let kind = """
        CASE WHEN conversion_type = 're-engagement' THEN 're-engagement'
             WHEN conversion_type = 'redownload' OR (conversion_type IS NULL AND redownload) THEN 'redownload'
             ELSE 'install' END
        """

    /// Reads the columns behind those of its key.
    init(_ key: PostbackKeyColumns, _ columns: inout ColumnCursor) throws {
        self.key = key
        day = try columns.next()
        isDeveloperCopy = try columns.next()
        campaignType = try columns.next()
        campaign = try columns.next()
        advertisedAppID = try columns.next()
        sourceApp = try columns.next()
        kind = try columns.next()
        value = StoredValue(fine: try columns.next(), coarse: try columns.next())
        firstValue = StoredValue(fine: try columns.next(), coarse: try columns.next())
        previousValue = StoredValue(fine: try columns.next(), coarse: try columns.next())
    }
}

extension StoredPostback.StoredValue {
    /// The value that a delivery offers.
    init(_ delivery: PostbackDelivery) {
        self.init(
            fine: (delivery.offered.fine?.value).map(Int16.init), coarse: delivery.offered.coarse?.rawValue)
    }
}
