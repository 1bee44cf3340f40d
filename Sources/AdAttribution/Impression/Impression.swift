/// An ad impression, complete and right for its version: what a network signs.
///
/// Source: Apple, "Signing and providing ads".
public struct Impression: Sendable, Hashable {
    /// The version of SKAdNetwork to sign for.
    public let version: SKAdNetworkVersion
    /// The network, in lower case.
    public let adNetworkID: AdNetworkID
    /// The campaign id up to 3.0, the source identifier from 4.0 on.
    public let campaign: Campaign
    /// `itunes-item-id`: the advertised app.
    public let itunesItemID: AppID
    /// The impression's nonce.
    public let nonce: Nonce
    /// The app that shows the ad, or the domain of a web ad (4.0); nil in 1.0.
    public let source: AttributionSource?
    /// How the ad is presented; nil before 2.2, `storeKitRendered` for web ads.
    public let fidelityType: FidelityType?
    /// When the ad is about to be served.
    public let timestamp: MillisecondTimestamp

    let layout: SignedLayout

    /// The version that is signed where none is given.
    public static let defaultVersion = SKAdNetworkVersion.v4_0

    /// The versions that can be signed.
    public static var versions: [SKAdNetworkVersion] { SignedLayout.impressions.keys.sorted() }

    /// Holds fields against their version: every one it signs is there, and none that it does not sign.
    ///
    /// - Throws: `FieldError` with the first field that is missing or out of place.
    public init(_ parameters: ImpressionParameters) throws(FieldError) {
        let version = parameters.version ?? Self.defaultVersion
        guard let layout = SignedLayout.impressions[version] else {
            throw FieldError(
                .version, "must be one of \(Self.versions.map(\.description).joined(separator: ", "))",
                value: version.description)
        }
        for field in parameters.present where !layout.signs(field) && field != .version {
            throw FieldError(field, "is not a field of version \(version)")
        }
        self.version = version
        self.layout = layout
        adNetworkID = try Self.lowercase(parameters.adNetworkID)
        if layout.signs(.campaignID) {
            campaign = .campaignID(try Self.required(parameters.campaignID, .campaignID))
        } else {
            campaign = .sourceIdentifier(try Self.issued(parameters.sourceIdentifier))
        }
        itunesItemID = try Self.required(parameters.itunesItemID, .itunesItemID)
        nonce = try Self.required(parameters.nonce, .nonce)
        source = try Self.source(parameters, layout)
        fidelityType = layout.signs(.fidelityType) ? try Self.fidelity(parameters, source: source) : nil
        timestamp = try Self.required(parameters.timestamp, .timestamp)
    }

    /// The bytes that the signature covers.
    public var signedMessage: SignedMessage { SignedMessage(layout, of: self) }

    /// What the impression counts as: `development` where its source app id is 0, else `production`.
    public var environment: AttributionEnvironment {
        source?.appID == .development ? .development : .production
    }

    static func required<Value>(_ value: Value?, _ field: WireField) throws(FieldError) -> Value {
        guard let value else { throw FieldError(field, "is missing") }
        return value
    }

    /// The network that signs, which must be in lower case.
    static func lowercase(_ adNetworkID: AdNetworkID?) throws(FieldError) -> AdNetworkID {
        let adNetworkID = try required(adNetworkID, .adNetworkID)
        guard adNetworkID.isLowercase else {
            throw FieldError(.adNetworkID, "must be in lower case", value: adNetworkID.text)
        }
        return adNetworkID
    }

    /// A source identifier as an impression carries it: leading zeros are a postback's; here it is an integer, on the
    /// device and in JSON.
    static func issued(_ sourceIdentifier: SourceIdentifier?) throws(FieldError) -> SourceIdentifier {
        let identifier = try required(sourceIdentifier, .sourceIdentifier)
        guard identifier.text.utf8.count == 1 || !identifier.text.hasPrefix("0") else {
            throw FieldError(.sourceIdentifier, "must have no leading zeros", value: identifier.text)
        }
        return identifier
    }

    private static func source(
        _ parameters: ImpressionParameters, _ layout: SignedLayout
    ) throws(FieldError) -> AttributionSource? {
        guard layout.signs(.sourceAppID) else { return nil }
        switch (parameters.sourceAppID, parameters.sourceDomain) {
        case (let app?, nil): return .app(app)
        case (nil, let domain?): return .domain(domain)
        case (nil, nil):
            throw FieldError(
                .sourceAppID, layout.signs(.sourceDomain) ? "or source-domain is missing" : "is missing")
        case (_?, _?): throw FieldError(.sourceDomain, "must not stand beside source-app-id")
        }
    }

    private static func fidelity(
        _ parameters: ImpressionParameters, source: AttributionSource?
    ) throws(FieldError) -> FidelityType {
        guard case .domain = source else { return try required(parameters.fidelityType, .fidelityType) }
        // A web ad is always fidelity type 1; Apple's response does not even carry it.
        guard parameters.fidelityType != .viewThrough else {
            throw FieldError(.fidelityType, "must be 1 for a web ad", value: "0")
        }
        return .storeKitRendered
    }
}

extension Impression: SignedMessageSource {
    package func appendSignedValue(of field: WireField, to message: inout SignedMessage) {
        switch field {
        case .version: message.append(version.description)
        case .adNetworkID: message.append(adNetworkID.text)
        case .campaignID, .sourceIdentifier: message.append(campaign.text)
        case .itunesItemID: message.append(itunesItemID.value)
        case .nonce: message.append(nonce.text)
        case .sourceAppID: (source?.appID?.value).map { message.append($0) }
        case .sourceDomain: (source?.domain?.text).map { message.append($0) }
        case .fidelityType: (fidelityType?.rawValue).map { message.append($0) }
        case .timestamp: message.append(timestamp.milliseconds)
        // Postbacks' fields, and AdAttributionKit's.
        case .appID, .transactionID, .redownload, .didWin, .postbackSequenceIndex, .conversionValue,
            .coarseConversionValue, .countryCode, .attributionSignature, .signature, .jwsString, .adInteractionType,
            .eligibleForReengagement:
            break
        }
    }
}
