import AdAttribution
import Foundation
import PostgresClient

/// A row of `attribution.postback` that a statement has just written, as its RETURNING list tells it.
///
/// A row comes back only where something changed. PostgreSQL 15 has no "old" values in RETURNING, so the row itself
/// keeps the previous ones.
struct StoredPostback: Sendable {
    let key: PostbackKeyColumns
    let campaign: CampaignKey
    let sourceApp: String
    let redownload: Bool?
    let conversionType: String?
    let value: StoredValue
    let firstValue: StoredValue
    let previousValue: StoredValue
    let wasRaised: Bool
    let conflicts: Int32

    /// The conversion value columns, as stored: at most one of the two is there.
    struct StoredValue: Sendable, Hashable {
        let fine: Int16?
        let coarse: String?
    }

    /// The columns in the order in which `init` reads them.
    static let columns = """
        transaction_id, environment, protocol, ad_network_id, sequence_index, did_win,
        developer_copy, campaign_type, campaign, advertised_app_id,
        coalesce(source_app_id::text, source_domain, '') AS source_app, redownload, conversion_type,
        conversion_value, coarse_value, first_conversion_value, first_coarse_value,
        previous_conversion_value, previous_coarse_value, received_at, raised_at IS NOT NULL, conflicts
        """

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        key = try PostbackKeyColumns(&columns)
        let isDeveloperCopy: Bool = try columns.next()
        let campaignType: String = try columns.next()
        let campaignText: String = try columns.next()
        let advertisedAppID: Int64 = try columns.next()
        sourceApp = try columns.next()
        redownload = try columns.next()
        conversionType = try columns.next()
        value = StoredValue(fine: try columns.next(), coarse: try columns.next())
        firstValue = StoredValue(fine: try columns.next(), coarse: try columns.next())
        previousValue = StoredValue(fine: try columns.next(), coarse: try columns.next())
        let receivedAt: PostgresTimestamp = try columns.next()
        wasRaised = try columns.next()
        conflicts = try columns.next()
        campaign = CampaignKey(
            day: PostgresDate(receivedAt), environment: key.environment, isDeveloperCopy: isDeveloperCopy,
            networkProtocol: key.networkProtocol, adNetworkID: key.adNetworkID, campaignType: campaignType,
            campaign: campaignText, advertisedAppID: advertisedAppID)
    }

    /// What the delivery that wrote the row did to it.
    ///
    /// An insert leaves neither a raise nor a conflict behind, and an update always leaves one of them; an update
    /// that raised made the offered value the current one, which a conflict never does.
    func outcome(of delivery: PostbackDelivery) -> DeliveryOutcome {
        if !wasRaised && conflicts == 0 { return .accepted }
        let offered = StoredValue(
            fine: (delivery.offered.fine?.value).map(Int16.init), coarse: delivery.offered.coarse?.rawValue)
        return value == offered ? .raised : .conflict
    }
}
