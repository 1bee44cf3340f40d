import PostgresClient

/// What impressions are counted by.
struct CampaignKey: Sendable, Hashable, Comparable {
    let day: PostgresDate
    let environment: String
    let isDeveloperCopy: Bool
    let networkProtocol: String
    let adNetworkID: String
    let campaignType: String
    let campaign: String
    let advertisedAppID: Int64

    static func < (left: CampaignKey, right: CampaignKey) -> Bool {
        // Two steps, since tuples compare up to six members.
        if left.campaign != right.campaign { return left.campaign < right.campaign }
        if left.day != right.day { return left.day < right.day }
        return (
            left.adNetworkID, left.advertisedAppID, left.environment, left.isDeveloperCopy ? 1 : 0,
            left.networkProtocol, left.campaignType
        ) < (
            right.adNetworkID, right.advertisedAppID, right.environment, right.isDeveloperCopy ? 1 : 0,
            right.networkProtocol, right.campaignType
        )
    }
}
