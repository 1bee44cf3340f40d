package import AdAttribution

/// The kind of a campaign: `campaign-id` up to SKAdNetwork 3.0, `source-identifier` from 4.0 on and in
/// AdAttributionKit.
package enum CampaignType: String, Sendable, CaseIterable {
    case campaignID = "campaign-id"
    case sourceIdentifier = "source-identifier"

    /// What the value must be, to complete "must be …".
    package static let rule = "campaign-id or source-identifier"

    /// What an identifier of this type must be, to complete "must be …".
    package var identifierRule: String {
        switch self {
        case .campaignID: CampaignID.rule
        case .sourceIdentifier: "the last 1 to 4 digits of source identifiers, with their leading zeros"
        }
    }

    /// The campaign of an identifier; nil if it is not one of this type.
    ///
    /// A campaign id is written as reports show it, without leading zeros.
    package func campaign(_ text: String) -> Campaign? {
        switch self {
        case .campaignID:
            guard let id = Int64(text).flatMap(CampaignID.init), String(id.value) == text else { return nil }
            return .campaignID(id)
        case .sourceIdentifier:
            return SourceIdentifier(text).map(Campaign.sourceIdentifier)
        }
    }
}
