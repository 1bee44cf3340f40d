/// An ad impression of SKAdNetwork with the fields of its version, ready to be signed.
///
/// Source: Apple, "Signing and providing ads".
public struct Impression: Sendable, Hashable {
    /// The version of SKAdNetwork to sign for.
    public let version: SKAdNetworkVersion
    /// The network, in lower case.
    public let adNetworkID: AdNetworkID
    /// The campaign id up to 3.0, the source identifier from 4.0 on.
    public let campaign: Campaign
    /// `itunes-item-id`: the advertised app, never 0.
    public let itunesItemID: AppID
    /// The impression's nonce.
    public let nonce: Nonce
    /// The app that shows the ad, or the domain of a web ad (4.0); nil in 1.0.
    public let source: AttributionSource?
    /// How the ad is presented; nil before 2.2, `storeKitRendered` for web ads.
    public let fidelityType: FidelityType?
    /// The time at which the ad is served.
    public let timestamp: MillisecondTimestamp

    let layout: ImpressionLayout
    /// The same, by field.
    let values: ImpressionParameters

    /// The default version.
    public static let defaultVersion = SKAdNetworkVersion.v4_0

    /// The versions that can be signed.
    public static var versions: [SKAdNetworkVersion] { ImpressionVersions.skAdNetwork.keys.sorted() }

    /// Checks the fields against their version: it must sign each of them, and none of its fields may be missing.
    ///
    /// - Throws: `FieldError` for the first field that is missing or not allowed.
    public init(_ parameters: ImpressionParameters) throws(FieldError) {
        let version = parameters.version ?? Self.defaultVersion
        guard let layout = ImpressionVersions.skAdNetwork[version] else {
            throw FieldError(
                field: ImpressionField.version.name,
                rule: "must be one of \(Self.versions.map(\.description).joined(separator: ", "))",
                value: version.description)
        }
        for field in parameters.present where !layout.signs(field) && field != .version {
            throw FieldError(field: field.name, rule: "is not a field of version \(version)")
        }
        var values = parameters
        // A change copies all values, so there is none without need.
        if !values.has(.version) { values.version = version }
        for place in layout.places {
            // The fidelity type of a web ad is always 1. Apple's response does not contain it.
            if case .required(.fidelityType) = place, values.has(.sourceDomain) {
                guard values.fidelityType != .viewThrough else {
                    throw FieldError(
                        field: ImpressionField.fidelityType.name, rule: "must be 1 for a web ad", value: "0")
                }
                values.fidelityType = .storeKitRendered
            }
            try place.check { values.has($0) }
            if case .required(let field) = place { try Self.checkIssued(field, values) }
        }
        self.version = version
        self.layout = layout
        self.values = values
        adNetworkID = try Self.required(values.adNetworkID, .adNetworkID)
        if let campaignID = values.campaignID {
            campaign = .campaignID(campaignID)
        } else {
            campaign = .sourceIdentifier(try Self.required(values.sourceIdentifier, .sourceIdentifier))
        }
        itunesItemID = try Self.required(values.itunesItemID, .itunesItemID)
        nonce = try Self.required(values.nonce, .nonce)
        source = values.sourceAppID.map { .app($0) } ?? values.sourceDomain.map { .domain($0) }
        fidelityType = values.fidelityType
        timestamp = try Self.required(values.timestamp, .timestamp)
    }

    /// The bytes that the signature covers.
    public var signedMessage: SignedMessage { SignedMessage(layout.fields.lazy.map { values[$0] }) }

    /// What the impression counts as: `development` if its source app id is 0, else `production`.
    public var environment: AttributionEnvironment {
        source?.appID == .development ? .development : .production
    }

    static func required<Value>(_ value: Value?, _ field: ImpressionField) throws(FieldError) -> Value {
        guard let value else { throw FieldError(field: field.name, rule: "is missing") }
        return value
    }

    /// Checks the rules for values that a network signs.
    ///
    /// Values that it receives need not follow them.
    static func checkIssued(_ field: ImpressionField, _ values: ImpressionParameters) throws(FieldError) {
        switch field {
        case .adNetworkID:
            guard let network = values.adNetworkID, !network.isLowercase else { return }
            throw FieldError(field: field.name, rule: "must be in lower case", value: network.text)
        case .sourceIdentifier:
            // It is an integer in an impression, on the device and in JSON.
            guard case .text(let text)? = values[field] else { return }
            throw FieldError(field: field.name, rule: "must have no leading zeros", value: text)
        case .itunesItemID:
            guard let app = values.itunesItemID, AdvertisedAppID(app.value) == nil else { return }
            throw FieldError(field: field.name, rule: "must be \(AdvertisedAppID.rule)", value: "\(app.value)")
        default: break
        }
    }
}
