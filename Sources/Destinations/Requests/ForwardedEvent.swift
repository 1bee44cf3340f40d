#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// An event of the log with all that a request about it may say.
package struct ForwardedEvent: Sendable {
    /// What happened to a postback.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It came for the first time.
        case accepted
        /// It came again with a greater conversion value.
        case raised
        /// Another one came under its key, and was not counted.
        case conflict
    }

    /// The event's name in the log, such as `0-42185168781313-2`; it has no full stop.
    package let id: String
    /// What happened.
    package let kind: Kind
    /// Apple's transaction.
    package let transactionID: UUID
    /// `production`, `development` or `test`.
    package let environment: String
    /// `skadnetwork` or `adattributionkit`.
    package let protocolName: String
    /// The network, as its postback writes it.
    package let adNetworkID: String
    /// Whether it is a copy for the developer of another network's postback.
    package let isDeveloperCopy: Bool
    /// What `campaign` is: `campaign-id` or `source-identifier`.
    package let campaignType: String
    /// Apple's campaign number or source identifier, with its leading zeros.
    package let campaign: String
    /// The app that was advertised.
    package let advertisedAppID: Int64
    /// Which postback of the transaction, from 0.
    package let sequenceIndex: Int
    /// Whether the network won.
    package let didWin: Bool
    /// The fine conversion value, 0 to 63.
    package let conversionValue: Int?
    /// The coarse conversion value: `low`, `medium` or `high`.
    package let coarseValue: String?
    /// When the postback was received, in microseconds since 1970.
    package let receivedAt: Int64
    /// The app in which the ad was shown.
    package let sourceAppID: Int64?
    /// The site on which the ad was shown.
    package let sourceDomain: String?
    /// The country, two letters.
    package let countryCode: String?
    /// The version of SKAdNetwork.
    package let version: String?
    /// How the ad was shown, 0 or 1.
    package let fidelityType: Int?
    /// Whether the app had been installed before.
    package let redownload: Bool?
    /// The stored body, byte for byte; nil if it left with retention.
    package let body: [UInt8]?
    /// The address that delivered the postback.
    package let sourceAddress: String?
    /// The header User-Agent of the delivery.
    package let userAgent: String?
    /// The operator's names of the campaign; nil if it has none.
    package let names: EventNames?
    /// What the conversion value means; nil without a scheme.
    package let meaning: EventMeaning?

    /// Takes all; what may be missing is nil unless it is given.
    package init(
        id: String, kind: Kind, transactionID: UUID, environment: String, protocolName: String, adNetworkID: String,
        isDeveloperCopy: Bool, campaignType: String, campaign: String, advertisedAppID: Int64, sequenceIndex: Int,
        didWin: Bool, conversionValue: Int? = nil, coarseValue: String? = nil, receivedAt: Int64,
        sourceAppID: Int64? = nil, sourceDomain: String? = nil, countryCode: String? = nil, version: String? = nil,
        fidelityType: Int? = nil, redownload: Bool? = nil, body: [UInt8]? = nil, sourceAddress: String? = nil,
        userAgent: String? = nil, names: EventNames? = nil, meaning: EventMeaning? = nil
    ) {
        self.id = id
        self.kind = kind
        self.transactionID = transactionID
        self.environment = environment
        self.protocolName = protocolName
        self.adNetworkID = adNetworkID
        self.isDeveloperCopy = isDeveloperCopy
        self.campaignType = campaignType
        self.campaign = campaign
        self.advertisedAppID = advertisedAppID
        self.sequenceIndex = sequenceIndex
        self.didWin = didWin
        self.conversionValue = conversionValue
        self.coarseValue = coarseValue
        self.receivedAt = receivedAt
        self.sourceAppID = sourceAppID
        self.sourceDomain = sourceDomain
        self.countryCode = countryCode
        self.version = version
        self.fidelityType = fidelityType
        self.redownload = redownload
        self.body = body
        self.sourceAddress = sourceAddress
        self.userAgent = userAgent
        self.names = names
        self.meaning = meaning
    }

    /// The header `webhook-id`: the same for each attempt, so that a receiver knows an event that it has.
    package var webhookID: String { "pb_" + id }
}

/// What the operator's `campaign_mapping` says of a campaign.
package struct EventNames: Sendable, Equatable {
    package let campaignID: String?
    package let campaignName: String?
    package let adsetID: String?
    package let adsetName: String?
    package let adID: String?
    package let adName: String?
    package let networkName: String?

    /// Takes all of them.
    package init(
        campaignID: String? = nil, campaignName: String? = nil, adsetID: String? = nil, adsetName: String? = nil,
        adID: String? = nil, adName: String? = nil, networkName: String? = nil
    ) {
        self.campaignID = campaignID
        self.campaignName = campaignName
        self.adsetID = adsetID
        self.adsetName = adsetName
        self.adID = adID
        self.adName = adName
        self.networkName = networkName
    }
}

/// What a scheme says of a conversion value.
package struct EventMeaning: Sendable, Equatable {
    /// The event's name; of several all names, with commas between them.
    package let event: String?
    /// The lowest revenue, a decimal number in `currency`.
    package let revenueLow: String?
    /// The highest revenue, a decimal number in `currency`.
    package let revenueHigh: String?
    /// The currency, three letters (ISO 4217).
    package let currency: String?
    /// Apple's postback data tier, or the lowest and the highest, such as `1-2`.
    package let tier: String?

    /// Takes all of them.
    package init(
        event: String? = nil, revenueLow: String? = nil, revenueHigh: String? = nil, currency: String? = nil,
        tier: String? = nil
    ) {
        self.event = event
        self.revenueLow = revenueLow
        self.revenueHigh = revenueHigh
        self.currency = currency
        self.tier = tier
    }
}
