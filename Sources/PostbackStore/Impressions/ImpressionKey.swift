public import AdAttribution
public import PostgresClient

/// What signed impressions are counted by: a row of `attribution.impression_daily`.
public struct ImpressionKey: Sendable, Hashable {
    let day: PostgresDate
    let environment: String
    let networkProtocol: String
    let adNetworkID: String
    let campaignType: String
    let campaign: String
    let advertisedAppID: Int64

    /// The row that an impression signed at this time counts in.
    public init(_ impression: Impression, signedAt: PostgresTimestamp) {
        day = PostgresDate(signedAt)
        environment = impression.environment.rawValue
        networkProtocol = "skadnetwork"
        adNetworkID = impression.adNetworkID.text
        campaignType = impression.campaign.type
        campaign = impression.campaign.text
        advertisedAppID = impression.itunesItemID.value
    }

    /// The order in which every writer locks rows.
    static func precedes(_ left: ImpressionKey, _ right: ImpressionKey) -> Bool {
        if left.campaign != right.campaign { return left.campaign < right.campaign }
        return (left.day, left.adNetworkID, left.advertisedAppID, left.environment, left.campaignType)
            < (right.day, right.adNetworkID, right.advertisedAppID, right.environment, right.campaignType)
    }
}
