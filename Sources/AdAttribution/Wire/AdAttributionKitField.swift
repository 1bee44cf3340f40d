/// The fields that AdAttributionKit signs, in impressions and in postbacks, under Apple's wire names.
///
/// Source: Apple, AdAttributionKit's "Generating JWS impressions" and "Identifying the parameters in a postback".
package enum AdAttributionKitField: String, WireFieldName {
    case adNetworkIdentifier = "ad-network-identifier"
    case advertisedItemIdentifier = "advertised-item-identifier"
    case conversionType = "conversion-type"
    case didWin = "did-win"
    case eligibleForReengagement = "eligible-for-re-engagement"
    case impressionIdentifier = "impression-identifier"
    case impressionType = "impression-type"
    case marketplaceIdentifier = "marketplace-identifier"
    case postbackIdentifier = "postback-identifier"
    case postbackSequenceIndex = "postback-sequence-index"
    case publisherItemIdentifier = "publisher-item-identifier"
    case sourceIdentifier = "source-identifier"
    case timestamp

    package static let names = WireFieldNames<Self>()
}
