/// Whom a refused body says it is for, as far as it could be read; it proves nothing.
public struct PostbackClaims: Sendable, Equatable {
    /// The framework, by the form of the body.
    public let attributionProtocol: AttributionProtocol
    /// The network that it names.
    public let adNetworkID: AdNetworkID?
    /// The advertised app that it names.
    public let advertisedAppID: AppID?

    init(
        attributionProtocol: AttributionProtocol, adNetworkID: AdNetworkID? = nil, advertisedAppID: AppID? = nil
    ) {
        self.attributionProtocol = attributionProtocol
        self.adNetworkID = adNetworkID
        self.advertisedAppID = advertisedAppID
    }

    init(_ postback: Postback) {
        self.init(
            attributionProtocol: postback.attributionProtocol, adNetworkID: postback.adNetworkID,
            advertisedAppID: postback.advertisedAppID)
    }

    init(skAdNetwork fields: WireFields<WireField>) {
        self.init(
            attributionProtocol: .skAdNetwork, adNetworkID: try? fields.text(.adNetworkID, as: AdNetworkID.self),
            advertisedAppID: try? fields.integer(.appID, as: AppID.self))
    }

    init(adAttributionKit payload: WireFields<AdAttributionKitField>) {
        self.init(
            attributionProtocol: .adAttributionKit,
            adNetworkID: try? payload.text(.adNetworkIdentifier, as: AdNetworkID.self),
            advertisedAppID: try? payload.integer(.advertisedItemIdentifier, as: AppID.self))
    }
}
