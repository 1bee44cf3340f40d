import StrictJSON

extension SignedImpression {
    /// The impression as an app hands it to StoreKit, as one line of JSON.
    ///
    /// A StoreKit-rendered ad has the product parameter keys under their names in StoreKit, the nonce to be made an
    /// `NSUUID`; a view-through ad the properties of `SKAdImpression`. Neither says the fidelity type, which the API
    /// implies. Numbers are `NSNumber`s.
    /// Sources: Apple, "Ad network install-validation keys", "Generating the signature to validate view-through ads".
    var storeKitJSON: [UInt8] {
        let names = impression.fidelityType == .viewThrough ? StoreKitNames.viewThrough : .rendered
        var object = JSONObjectText()
        if impression.layout.signs(.version) { object.append(names.version, impression.version.description) }
        object.append(names.adNetworkID, impression.adNetworkID.text)
        switch impression.campaign {
        case .campaignID(let id): object.append(names.campaignID, id.value)
        case .sourceIdentifier(let identifier):
            object.append(names.sourceIdentifier, json: identifier.text.utf8)
        }
        object.append(names.itunesItemID, impression.itunesItemID.value)
        object.append(names.nonce, impression.nonce.text)
        impression.source?.appID.map { object.append(names.sourceAppID, $0.value) }
        object.append(names.timestamp, impression.timestamp.milliseconds)
        object.append(names.signature, base64: signature)
        return object.finished()
    }
}

/// What StoreKit calls the values of an impression.
private struct StoreKitNames {
    let version: String
    let adNetworkID: String
    let campaignID: String
    let sourceIdentifier: String
    let itunesItemID: String
    let nonce: String
    let sourceAppID: String
    let timestamp: String
    let signature: String

    static let rendered = StoreKitNames(
        version: "SKStoreProductParameterAdNetworkVersion",
        adNetworkID: "SKStoreProductParameterAdNetworkIdentifier",
        campaignID: "SKStoreProductParameterAdNetworkCampaignIdentifier",
        sourceIdentifier: "SKStoreProductParameterAdNetworkSourceIdentifier",
        itunesItemID: "SKStoreProductParameterITunesItemIdentifier",
        nonce: "SKStoreProductParameterAdNetworkNonce",
        sourceAppID: "SKStoreProductParameterAdNetworkSourceAppStoreIdentifier",
        timestamp: "SKStoreProductParameterAdNetworkTimestamp",
        signature: "SKStoreProductParameterAdNetworkAttributionSignature")

    static let viewThrough = StoreKitNames(
        version: "version",
        adNetworkID: "adNetworkIdentifier",
        campaignID: "adCampaignIdentifier",
        sourceIdentifier: "sourceIdentifier",
        itunesItemID: "advertisedAppStoreItemIdentifier",
        nonce: "adImpressionIdentifier",
        sourceAppID: "sourceAppStoreItemIdentifier",
        timestamp: "timestamp",
        signature: "signature")
}
