import StrictJSON

/// An ad impression of AdAttributionKit: what a network signs as a compact JWS, one for both view and click.
///
/// Source: Apple, AdAttributionKit, "Generating JWS impressions".
public struct AdAttributionKitImpression: Sendable, Hashable {
    /// `impression-identifier`.
    public let impressionIdentifier: Nonce
    /// `publisher-item-identifier`: the app that shows the ad; 0 for a development impression.
    public let publisherItemIdentifier: AppID
    /// `ad-network-identifier`, in lower case; also the `kid` of the signature.
    public let adNetworkIdentifier: AdNetworkID
    /// `source-identifier`, an integer of up to four digits.
    public let sourceIdentifier: SourceIdentifier
    /// `timestamp`.
    public let timestamp: MillisecondTimestamp
    /// `advertised-item-identifier`: the advertised app.
    public let advertisedItemIdentifier: AppID
    /// `eligible-for-re-engagement`; left out where nil.
    public let eligibleForReengagement: Bool?

    /// Takes SKAdNetwork's names of the same things: `nonce` is the impression identifier, `source-app-id` the
    /// publisher, `itunes-item-id` the advertised item.
    ///
    /// - Throws: `FieldError` with the first field that is missing or out of place.
    public init(_ parameters: ImpressionParameters) throws(FieldError) {
        for field in [WireField.version, .campaignID, .sourceDomain, .fidelityType]
        where parameters.present.contains(field) {
            throw FieldError(field, "is not a field of an AdAttributionKit impression")
        }
        adNetworkIdentifier = try Impression.lowercase(parameters.adNetworkID)
        sourceIdentifier = try Impression.issued(parameters.sourceIdentifier)
        advertisedItemIdentifier = try Impression.required(parameters.itunesItemID, .itunesItemID)
        impressionIdentifier = try Impression.required(parameters.nonce, .nonce)
        publisherItemIdentifier = try Impression.required(parameters.sourceAppID, .sourceAppID)
        timestamp = try Impression.required(parameters.timestamp, .timestamp)
        eligibleForReengagement = parameters.eligibleForReengagement
    }

    /// What the impression counts as: `development` where the publisher is 0, else `production`.
    public var environment: AttributionEnvironment {
        publisherItemIdentifier == .development ? .development : .production
    }

    /// The payload of the JWS, in the order of Apple's page.
    var payload: [UInt8] {
        typealias Field = AdAttributionKitField
        var object = JSONObjectText()
        object.append(Field.impressionIdentifier.rawValue, impressionIdentifier.text)
        object.append(Field.publisherItemIdentifier.rawValue, publisherItemIdentifier.value)
        object.append(Field.impressionType.rawValue, ImpressionType.app.rawValue)
        object.append(Field.adNetworkIdentifier.rawValue, adNetworkIdentifier.text)
        // An integer here, and its text is in plain decimal.
        object.append(Field.sourceIdentifier.rawValue, json: sourceIdentifier.text.utf8)
        object.append(Field.timestamp.rawValue, timestamp.milliseconds)
        object.append(Field.advertisedItemIdentifier.rawValue, advertisedItemIdentifier.value)
        eligibleForReengagement.map { object.append(Field.eligibleForReengagement.rawValue, $0) }
        return object.finished()
    }

    init(_ payload: WireFields<AdAttributionKitField>) throws(FieldError) {
        _ = try payload.required(.impressionType, payload.text(.impressionType, as: ImpressionType.self))
        impressionIdentifier = try payload.required(
            .impressionIdentifier, payload.text(.impressionIdentifier, as: Nonce.self))
        publisherItemIdentifier = try payload.required(
            .publisherItemIdentifier, payload.integer(.publisherItemIdentifier, as: AppID.self))
        adNetworkIdentifier = try payload.required(
            .adNetworkIdentifier, payload.text(.adNetworkIdentifier, as: AdNetworkID.self))
        sourceIdentifier = try payload.required(
            .sourceIdentifier, payload.integer(.sourceIdentifier, as: SourceIdentifier.self))
        timestamp = try payload.required(.timestamp, payload.integer(.timestamp, as: MillisecondTimestamp.self))
        advertisedItemIdentifier = try payload.required(
            .advertisedItemIdentifier, payload.integer(.advertisedItemIdentifier, as: AppID.self))
        eligibleForReengagement = try payload.boolean(.eligibleForReengagement)
    }
}
