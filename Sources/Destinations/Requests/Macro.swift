/// A value of an event that a template names in braces, such as `{campaign-id}`.
package enum Macro: String, Sendable, CaseIterable {
    /// When the postback was received, such as `2026-11-21T07:12:00.250Z` (RFC 3339).
    case received
    /// The same in whole seconds since 1970.
    case receivedSeconds = "received-seconds"
    /// The same in milliseconds since 1970.
    case receivedMillis = "received-millis"
    /// The address that delivered the postback, that of Apple's relay.
    case ip
    /// The User-Agent of the delivery.
    case userAgent = "user-agent"
    /// The event's id for the receiver, the same for each attempt.
    case webhookID = "webhook-id"
    /// `accepted`, `raised` or `conflict`.
    case kind
    /// `production`, `development` or `test`.
    case environment
    /// `skadnetwork` or `adattributionkit`.
    case protocolName = "protocol"
    /// Whether it is a copy for the developer: `true` or `false`.
    case developerCopy = "developer-copy"
    /// Apple's transaction, in lower case.
    case transactionID = "transaction-id"
    /// Which postback of the transaction, from 0.
    case sequenceIndex = "sequence-index"
    /// The version of SKAdNetwork.
    case version
    /// The network's id.
    case adNetworkID = "ad-network-id"
    /// The advertised app.
    case appID = "app-id"
    /// Whether the network won: `true` or `false`.
    case didWin = "did-win"
    /// Whether the app had been installed before: `true` or `false`.
    case redownload
    /// How the ad was shown, 0 or 1.
    case fidelityType = "fidelity-type"
    /// The app in which the ad was shown.
    case sourceAppID = "source-app-id"
    /// The site on which the ad was shown.
    case sourceDomain = "source-domain"
    /// The country, two letters.
    case country
    /// Apple's campaign number or source identifier, with its leading zeros.
    case campaign
    /// What `{campaign}` is: `campaign-id` or `source-identifier`.
    case campaignType = "campaign-type"
    /// The campaign if it is Apple's campaign number.
    case skanCampaignID = "skan-campaign-id"
    /// The campaign if it is a source identifier.
    case sourceIdentifier = "source-identifier"
    /// The operator's id of the campaign, from `campaign_mapping`.
    case campaignID = "campaign-id"
    /// The operator's name of the campaign.
    case campaignName = "campaign-name"
    /// The operator's id of the ad set.
    case adsetID = "adset-id"
    /// The operator's name of the ad set.
    case adsetName = "adset-name"
    /// The operator's id of the ad.
    case adID = "ad-id"
    /// The operator's name of the ad.
    case adName = "ad-name"
    /// The operator's name of the network.
    case networkName = "network-name"
    /// The fine conversion value, 0 to 63.
    case conversionValue = "conversion-value"
    /// The coarse conversion value.
    case coarseValue = "coarse-value"
    /// The name that the scheme gives to the value.
    case event
    /// Apple's postback data tier, or the lowest and the highest.
    case tier
    /// The lowest revenue that the value stands for.
    case revenueLow = "revenue-low"
    /// The highest revenue that the value stands for.
    case revenueHigh = "revenue-high"
    /// The currency of the revenue.
    case currency
    /// Apple's signature of a postback of SKAdNetwork, out of the stored body.
    case attributionSignature = "attribution-signature"
    /// The stored body in base64, padded (RFC 4648, section 4).
    case rawBase64 = "raw-base64"
    /// The stored body in base64 for URLs, without padding (RFC 4648, section 5).
    case rawBase64URL = "raw-base64url"
}

extension Macro {
    /// Whether its value is never a number, `true` or `false`, so that it can't stand without quotes.
    ///
    /// An operator's names and events may be numbers, and so may what Apple calls a campaign.
    var isAlwaysText: Bool {
        switch self {
        case .received, .ip, .userAgent, .webhookID, .kind, .environment, .protocolName, .transactionID, .adNetworkID,
            .sourceDomain, .country, .campaignType, .coarseValue, .currency, .attributionSignature, .rawBase64,
            .rawBase64URL:
            true
        case .receivedSeconds, .receivedMillis, .developerCopy, .sequenceIndex, .version, .appID, .didWin, .redownload,
            .fidelityType, .sourceAppID, .campaign, .skanCampaignID, .sourceIdentifier, .campaignID, .campaignName,
            .adsetID, .adsetName, .adID, .adName, .networkName, .conversionValue, .event, .tier, .revenueLow,
            .revenueHigh:
            false
        }
    }
}
