/// The fields of an impression before they are checked against a version.
///
/// Each value is valid, and any field may be missing.
///
/// They have SKAdNetwork's names for both protocols, so that one request can be signed for either.
public struct ImpressionParameters: Sendable, Hashable {
    /// The value of each field, in the order of `ImpressionField.allCases`.
    private var values: [FieldValue?]

    /// No field yet.
    public init() {
        values = Array(repeating: nil, count: Self.fields.count)
    }

    /// The value of a field; nil if it is not set.
    package subscript(_ field: ImpressionField) -> FieldValue? {
        get { values[field.slot] }
        set { values[field.slot] = newValue }
    }

    /// Whether a field is set.
    package func has(_ field: ImpressionField) -> Bool { values[field.slot] != nil }

    /// Takes the value of a field from other parameters if it is not set.
    package mutating func fill(_ field: ImpressionField, from other: ImpressionParameters) {
        if !has(field), other.has(field) { self[field] = other[field] }
    }

    /// The fields that are set.
    var present: some Sequence<ImpressionField> { Self.fields.lazy.filter(has) }

    /// All fields, in an array that is made once.
    package static let fields = ImpressionField.allCases
}

extension ImpressionField {
    /// The place of the field in `allCases`.
    var slot: Int {
        switch self {
        case .version: 0
        case .adNetworkID: 1
        case .campaignID: 2
        case .sourceIdentifier: 3
        case .itunesItemID: 4
        case .nonce: 5
        case .sourceAppID: 6
        case .sourceDomain: 7
        case .fidelityType: 8
        case .timestamp: 9
        case .eligibleForReengagement: 10
        case .campaignToken: 11
        case .providerToken: 12
        }
    }
}

extension ImpressionParameters {
    /// `version`; 4.0 if it is left out.
    public var version: SKAdNetworkVersion? {
        get { self[.version]?.text.flatMap { SKAdNetworkVersion($0) } }
        set { self[.version] = newValue.map { .text($0.description) } }
    }

    /// `ad-network-id`.
    public var adNetworkID: AdNetworkID? {
        get { self[.adNetworkID]?.text.flatMap { AdNetworkID($0) } }
        set { self[.adNetworkID] = newValue.map { .text($0.text) } }
    }

    /// `campaign-id`, up to 3.0.
    public var campaignID: CampaignID? {
        get { self[.campaignID]?.integer.flatMap { CampaignID($0) } }
        set { self[.campaignID] = newValue.map { .integer(Int64($0.value)) } }
    }

    /// `source-identifier`, from 4.0 on.
    public var sourceIdentifier: SourceIdentifier? {
        get {
            switch self[.sourceIdentifier] {
            case .integer(let integer)?: SourceIdentifier(integer)
            case .text(let text)?: SourceIdentifier(text)
            default: nil
            }
        }
        set {
            self[.sourceIdentifier] = newValue.map { identifier in
                // Only a postback can have leading zeros. They are kept here, so that they can be refused.
                Int64(identifier.text).flatMap { String($0) == identifier.text ? .integer($0) : nil }
                    ?? .text(identifier.text)
            }
        }
    }

    /// `itunes-item-id`: the advertised app.
    public var itunesItemID: AppID? {
        get { self[.itunesItemID]?.integer.flatMap { AppID($0) } }
        set { self[.itunesItemID] = newValue.map { .integer($0.value) } }
    }

    /// `nonce`.
    public var nonce: Nonce? {
        get {
            guard case .uuid(let uuid, _)? = self[.nonce] else { return nil }
            return Nonce(uuid)
        }
        set { self[.nonce] = newValue.map { .uuid($0.uuid, text: $0.text) } }
    }

    /// `source-app-id`: the app that shows the ad.
    public var sourceAppID: AppID? {
        get { self[.sourceAppID]?.integer.flatMap { AppID($0) } }
        set { self[.sourceAppID] = newValue.map { .integer($0.value) } }
    }

    /// `source-domain`: the domain of a web ad.
    public var sourceDomain: SourceDomain? {
        get { self[.sourceDomain]?.text.flatMap { SourceDomain($0) } }
        set { self[.sourceDomain] = newValue.map { .text($0.text) } }
    }

    /// `fidelity-type`, from 2.2 on.
    public var fidelityType: FidelityType? {
        get { self[.fidelityType]?.integer.flatMap { FidelityType($0) } }
        set { self[.fidelityType] = newValue.map { .integer(Int64($0.rawValue)) } }
    }

    /// `timestamp`.
    public var timestamp: MillisecondTimestamp? {
        get { self[.timestamp]?.integer.flatMap { MillisecondTimestamp($0) } }
        set { self[.timestamp] = newValue.map { .integer($0.milliseconds) } }
    }

    /// `eligible-for-re-engagement`, AdAttributionKit only.
    public var eligibleForReengagement: Bool? {
        get { self[.eligibleForReengagement]?.boolean }
        set { self[.eligibleForReengagement] = newValue.map { .boolean($0) } }
    }
}
