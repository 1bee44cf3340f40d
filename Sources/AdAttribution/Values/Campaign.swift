/// What a network tells its campaigns apart by: a campaign id up to SKAdNetwork 3.0, a source identifier from 4.0 on.
public enum Campaign: Sendable, Hashable {
    /// `campaign-id`, SKAdNetwork 1.0 to 3.0.
    case campaignID(CampaignID)
    /// `source-identifier`, SKAdNetwork 4.0 and later.
    case sourceIdentifier(SourceIdentifier)

    /// The wire name of the kind: `campaign-id` or `source-identifier`.
    public var type: String {
        switch self {
        case .campaignID: WireField.campaignID.rawValue
        case .sourceIdentifier: WireField.sourceIdentifier.rawValue
        }
    }

    /// The campaign as signed and as reports show it: `42`, or `0123` with its leading zeros.
    public var text: String {
        switch self {
        case .campaignID(let id): String(id.value)
        case .sourceIdentifier(let identifier): identifier.text
        }
    }
}
