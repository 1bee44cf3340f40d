/// The fields of SKAdNetwork impressions and postbacks under Apple's wire names.
///
/// Source: Apple, "Identifying the parameters in install-validation postbacks" and "Signing and providing ads".
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
}
