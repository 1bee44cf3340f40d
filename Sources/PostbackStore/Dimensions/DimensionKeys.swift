public import AdAttribution

/// A network, as it is seen in one environment of one protocol: a row of `attribution.network`, without its number.
public struct NetworkKey: Sendable, Hashable {
    /// Where the postbacks come from: production, development or test.
    public let environment: AttributionEnvironment
    /// SKAdNetwork or AdAttributionKit.
    public let attributionProtocol: AttributionProtocol
    /// The ad network id, in lower case.
    public let adNetworkID: String
}

/// What a postback counts for: a row of `attribution.line`, without its number.
public struct LineKey: Sendable, Hashable {
    /// The network that the ad belongs to.
    public let network: NetworkKey
    /// Whether it is an app developer's copy of another network's postback.
    public let isDeveloperCopy: Bool
    /// The campaign of the network.
    public let campaign: Campaign
    /// The app that is advertised.
    public let advertisedAppID: AppID
}

/// The facts of a postback that have few values each: a row of `attribution.traits`, without its number.
public struct TraitsKey: Sendable, Hashable {
    /// The name of the key that verified the postback.
    public let signingKey: String
    /// The version of SKAdNetwork; nil for AdAttributionKit, whose postbacks carry none.
    public let version: SKAdNetworkVersion?
    /// SKAdNetwork: whether the app was installed before; nil if the postback does not tell.
    public let redownload: Bool?
    /// AdAttributionKit: what the postback counts as.
    public let conversionType: ConversionType?
    /// SKAdNetwork: how the ad was presented; nil if the postback does not tell.
    public let fidelityType: FidelityType?
    /// AdAttributionKit: whether the ad was seen or tapped.
    public let adInteractionType: AdInteractionType?
    /// AdAttributionKit: where the app was installed from.
    public let marketplaceIdentifier: String?
    /// The country, if the crowd is large enough.
    public let countryCode: String?
    /// Whether changes that a relay is known to make were undone before the signature was checked.
    public let isRelayNormalised: Bool

    /// What stands in `version` for AdAttributionKit.
    static let noVersion = "none"
}

/// The rows of the dimensions that a postback belongs to, by their keys.
struct DimensionKeys: Sendable, Hashable {
    let line: LineKey
    /// Nil if the postback names neither app nor domain.
    let source: AttributionSource?
    let traits: TraitsKey

    init(_ verified: VerifiedPostback) {
        let postback = verified.postback
        let skAdNetwork = postback.details.skAdNetwork
        let adAttributionKit = postback.details.adAttributionKit
        line = LineKey(
            network: NetworkKey(
                environment: verified.environment, attributionProtocol: postback.attributionProtocol,
                adNetworkID: postback.adNetworkID.lowercased),
            isDeveloperCopy: verified.isDeveloperCopy, campaign: postback.campaign,
            advertisedAppID: postback.advertisedAppID)
        source = postback.source
        traits = TraitsKey(
            signingKey: verified.signingKey, version: skAdNetwork?.version, redownload: skAdNetwork?.redownload,
            conversionType: adAttributionKit?.conversionType, fidelityType: skAdNetwork?.fidelityType,
            adInteractionType: adAttributionKit?.adInteractionType,
            marketplaceIdentifier: adAttributionKit?.marketplaceIdentifier?.text,
            countryCode: postback.countryCode?.text, isRelayNormalised: postback.isRelayNormalised)
    }
}

/// The rows of the dimensions that a postback belongs to, by their numbers.
struct DimensionIDs: Sendable, Hashable {
    let network: Int16
    let line: Int32
    let source: Int32
    let traits: Int32

    /// `source` of a postback that names neither app nor domain.
    static let noSource: Int32 = 0
}
