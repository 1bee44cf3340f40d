/// The names of a web ad's request and answer, with underscores as Apple writes them here.
///
/// Source: Apple, "Generating a signature for attributable web ads".
enum SignedPayloadField: String, WireFieldName {
    case adNetworkID = "ad_network_id"
    case itunesItemID = "itunes_item_id"
    case nonce
    case signature
    case sourceDomain = "source_domain"
    case sourceEngagementType = "source_engagement_type"
    case sourceIdentifier = "source_identifier"
    case sourceNonce = "source_nonce"
    case timestamp
    case version

    static let names = WireFieldNames<Self>()
}
