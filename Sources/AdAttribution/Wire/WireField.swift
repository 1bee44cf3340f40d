/// The fields of impressions and of postback bodies under Apple's wire names.
///
/// AdAttributionKit wraps a postback in a body of four of these, `jws-string` first; what its signature covers has names
/// of its own, in `AdAttributionKitField`.
/// Source: Apple, "Identifying the parameters in install-validation postbacks", "Signing and providing ads", and
/// AdAttributionKit's "Identifying the parameters in a postback" and "Generating JWS impressions".
public enum WireField: String, Sendable, CaseIterable {
    case version
    case adNetworkID = "ad-network-id"
    case campaignID = "campaign-id"
    case sourceIdentifier = "source-identifier"
    case appID = "app-id"
    case itunesItemID = "itunes-item-id"
    case transactionID = "transaction-id"
    case nonce
    case redownload
    case sourceAppID = "source-app-id"
    case sourceDomain = "source-domain"
    case fidelityType = "fidelity-type"
    case didWin = "did-win"
    case postbackSequenceIndex = "postback-sequence-index"
    case timestamp
    case conversionValue = "conversion-value"
    case coarseConversionValue = "coarse-conversion-value"
    case countryCode = "country-code"
    case attributionSignature = "attribution-signature"
    case signature
    case jwsString = "jws-string"
    case adInteractionType = "ad-interaction-type"
    case eligibleForReengagement = "eligible-for-re-engagement"
}

extension WireField: WireFieldName {
    package static let names = WireFieldNames<Self>()
}
