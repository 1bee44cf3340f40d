public import AdAttribution
public import PostgresClient

/// What signed impressions are counted by: a row of `attribution.impression_daily`.
public struct ImpressionKey: Sendable, Hashable {
    /// The campaign and the UTC day of signing; an impression is never a developer's copy.
    let campaign: CampaignKey

    /// The row that an impression signed at this time counts in.
    ///
    /// An ad that is signed once for each fidelity type is one impression.
    public init(_ request: ImpressionRequest, signedAt: PostgresTimestamp) {
        switch request {
        case .json(let impression), .storeKit(let impression), .openRTB(let impression, _):
            self.init(impression, signedAt: signedAt)
        case .jws(let impression):
            self.init(impression, signedAt: signedAt)
        }
    }

    /// The row that an impression of SKAdNetwork counts in.
    public init(_ impression: Impression, signedAt: PostgresTimestamp) {
        campaign = CampaignKey(
            day: PostgresDate(signedAt), environment: impression.environment.rawValue, isDeveloperCopy: false,
            networkProtocol: AttributionProtocol.skAdNetwork.rawValue, adNetworkID: impression.adNetworkID.text,
            campaignType: impression.campaign.type, campaign: impression.campaign.text,
            advertisedAppID: impression.itunesItemID.value)
    }

    /// The row that an impression of AdAttributionKit counts in.
    private init(_ impression: AdAttributionKitImpression, signedAt: PostgresTimestamp) {
        campaign = CampaignKey(
            day: PostgresDate(signedAt), environment: impression.environment.rawValue, isDeveloperCopy: false,
            networkProtocol: AttributionProtocol.adAttributionKit.rawValue,
            adNetworkID: impression.adNetworkIdentifier.text,
            campaignType: Campaign.sourceIdentifier(impression.sourceIdentifier).type,
            campaign: impression.sourceIdentifier.text,
            advertisedAppID: impression.advertisedItemIdentifier.value)
    }
}
