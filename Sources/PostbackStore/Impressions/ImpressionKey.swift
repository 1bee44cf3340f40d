public import AdAttribution
public import PostgresClient

/// What signed impressions are counted by: a row of `attribution.impression_daily`.
public struct ImpressionKey: Sendable, Hashable {
    /// The campaign and the UTC day of signing; an impression is never a developer's copy.
    let campaign: CampaignKey

    /// The row that an impression signed at this time counts in.
    public init(_ impression: Impression, signedAt: PostgresTimestamp) {
        campaign = CampaignKey(
            day: PostgresDate(signedAt), environment: impression.environment.rawValue, isDeveloperCopy: false,
            networkProtocol: "skadnetwork", adNetworkID: impression.adNetworkID.text,
            campaignType: impression.campaign.type, campaign: impression.campaign.text,
            advertisedAppID: impression.itunesItemID.value)
    }
}
