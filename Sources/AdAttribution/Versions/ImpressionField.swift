import StrictJSON

/// A field of an impression of either protocol, by SKAdNetwork's name.
///
/// Source: Apple, "Signing and providing ads", and AdAttributionKit's "Generating JWS impressions".
public enum ImpressionField: String, Sendable, CaseIterable {
    case version
    case adNetworkID = "ad-network-id"
    case campaignID = "campaign-id"
    case sourceIdentifier = "source-identifier"
    case itunesItemID = "itunes-item-id"
    case nonce
    case sourceAppID = "source-app-id"
    case sourceDomain = "source-domain"
    case fidelityType = "fidelity-type"
    case timestamp
    /// AdAttributionKit only.
    case eligibleForReengagement = "eligible-for-re-engagement"
    /// Not signed: for StoreKit only.
    case campaignToken = "campaign-token"
    /// Not signed: for StoreKit only.
    case providerToken = "provider-token"

    /// What JSON carries for the field.
    var kind: FieldKind {
        switch self {
        case .version: .text(SKAdNetworkVersion.self)
        case .adNetworkID: .text(AdNetworkID.self)
        case .campaignID: .integer(CampaignID.self)
        case .sourceIdentifier: .integer(SourceIdentifier.self)
        case .itunesItemID: .integer(AdvertisedAppID.self)
        case .sourceAppID: .integer(AppID.self)
        case .nonce: .lowercaseUUID
        case .sourceDomain: .text(SourceDomain.self)
        case .fidelityType: .integer(FidelityType.self)
        case .timestamp: .integer(MillisecondTimestamp.self)
        case .eligibleForReengagement: .boolean
        case .campaignToken, .providerToken: .text(StoreToken.self)
        }
    }
}

extension ImpressionField: WireNamed {
    /// Apple's name of the field.
    package var name: String { rawValue }
}

/// What proves an impression, in the JSON of a signed one.
enum ImpressionProof: String, CaseIterable {
    case signature
    case jwsString = "jws-string"
}

/// A key of the JSON of an impression.
enum ImpressionMember: Sendable, Equatable {
    case field(ImpressionField)
    case proof(ImpressionProof)

    var name: String {
        switch self {
        case .field(let field): field.rawValue
        case .proof(let proof): proof.rawValue
        }
    }

    private static let all: [ImpressionMember] =
        ImpressionField.allCases.map { .field($0) } + ImpressionProof.allCases.map { .proof($0) }

    static let names = WireFieldNames(all.map { ($0, $0.name) })

    /// The names as texts.
    static var allNames: [String] { all.map(\.name) }
}

extension JSONObjectText {
    /// Adds the value of a field.
    package mutating func append(_ name: String, _ value: FieldValue) {
        switch value {
        case .boolean(let flag): append(name, flag)
        case .integer(let integer): append(name, integer)
        case .text(let text), .uuid(_, let text): append(name, text)
        }
    }
}
