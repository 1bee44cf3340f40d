import StrictJSON

extension SignedImpression {
    /// The impression as an app hands it to StoreKit, as one line of JSON.
    ///
    /// A StoreKit-rendered ad has the product parameter keys under their names in StoreKit, the nonce to be made an
    /// `NSUUID`; a view-through ad the properties of `SKAdImpression`. Neither says the fidelity type, which the API
    /// implies. Numbers are `NSNumber`s.
    /// Sources: Apple, "Ad network install-validation keys", "Generating the signature to validate view-through ads".
    var storeKitJSON: [UInt8] {
        let isViewThrough = impression.fidelityType == .viewThrough
        var object = JSONObjectText()
        for field in impression.layout.fields {
            guard let value = impression.values[field], let names = field.storeKitNames else { continue }
            object.append(isViewThrough ? names.viewThrough : names.rendered, value)
        }
        object.append(
            isViewThrough ? "signature" : "SKStoreProductParameterAdNetworkAttributionSignature", base64: signature)
        return object.finished()
    }
}

extension ImpressionField {
    /// What StoreKit calls the field in a StoreKit-rendered ad and in a view-through ad; nil if it has no place there.
    fileprivate var storeKitNames: (rendered: String, viewThrough: String)? {
        switch self {
        case .version: ("SKStoreProductParameterAdNetworkVersion", "version")
        case .adNetworkID: ("SKStoreProductParameterAdNetworkIdentifier", "adNetworkIdentifier")
        case .campaignID: ("SKStoreProductParameterAdNetworkCampaignIdentifier", "adCampaignIdentifier")
        case .sourceIdentifier: ("SKStoreProductParameterAdNetworkSourceIdentifier", "sourceIdentifier")
        case .itunesItemID: ("SKStoreProductParameterITunesItemIdentifier", "advertisedAppStoreItemIdentifier")
        case .nonce: ("SKStoreProductParameterAdNetworkNonce", "adImpressionIdentifier")
        case .sourceAppID:
            ("SKStoreProductParameterAdNetworkSourceAppStoreIdentifier", "sourceAppStoreItemIdentifier")
        case .timestamp: ("SKStoreProductParameterAdNetworkTimestamp", "timestamp")
        case .sourceDomain, .fidelityType, .eligibleForReengagement: nil
        }
    }
}
