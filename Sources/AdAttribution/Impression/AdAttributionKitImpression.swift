import StrictJSON

/// An ad impression of AdAttributionKit.
///
/// A network signs it as a compact JWS, one for both view and click.
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
    /// `eligible-for-re-engagement`; nil if the payload does not have it.
    public let eligibleForReengagement: Bool?

    /// The same, by field.
    private let values: ImpressionParameters

    /// Takes the fields by SKAdNetwork's names: `nonce` is the impression identifier, `source-app-id` the publisher
    /// item identifier, `itunes-item-id` the advertised item identifier.
    ///
    /// - Throws: `FieldError` for the first field that is missing or not allowed.
    public init(_ parameters: ImpressionParameters) throws(FieldError) {
        let places = ImpressionVersions.adAttributionKit.map(\.place)
        let fields = places.flatMap(\.fields)
        for field in parameters.present where !fields.contains(field) {
            throw FieldError(field: field.name, rule: "is not a field of an AdAttributionKit impression")
        }
        for field in fields { try Impression.checkIssued(field, parameters) }
        for place in places { try place.check { parameters[$0] != nil } }
        try self.init(values: parameters)
    }

    private init(values: ImpressionParameters) throws(FieldError) {
        self.values = values
        adNetworkIdentifier = try Impression.required(values.adNetworkID, .adNetworkID)
        sourceIdentifier = try Impression.required(values.sourceIdentifier, .sourceIdentifier)
        advertisedItemIdentifier = try Impression.required(values.itunesItemID, .itunesItemID)
        impressionIdentifier = try Impression.required(values.nonce, .nonce)
        publisherItemIdentifier = try Impression.required(values.sourceAppID, .sourceAppID)
        timestamp = try Impression.required(values.timestamp, .timestamp)
        eligibleForReengagement = values.eligibleForReengagement
    }

    /// What the impression counts as: `development` if the publisher is 0, else `production`.
    public var environment: AttributionEnvironment {
        publisherItemIdentifier == .development ? .development : .production
    }

    /// The payload of the JWS.
    var payload: [UInt8] {
        var object = JSONObjectText()
        for (number, row) in ImpressionVersions.adAttributionKit.enumerated() {
            if number == Self.placeOfType { object.append(Self.type, ImpressionType.app.rawValue) }
            for field in row.place.fields {
                if let value = values[field] { object.append(row.name, value) }
            }
        }
        return object.finished()
    }

    /// Reads the payload of a JWS.
    init(_ payload: WireFields<Int>) throws(FieldError) {
        func token(_ number: Int, _ name: String) -> WireToken? {
            payload[number].map { WireToken(token: $0, name: name, bytes: payload.bytes) }
        }
        let rows = ImpressionVersions.adAttributionKit
        guard let type = token(rows.count, Self.type) else { throw FieldError(field: Self.type, rule: "is missing") }
        _ = try type.text(as: ImpressionType.self)
        var values = ImpressionParameters()
        for (number, row) in rows.enumerated() {
            for field in row.place.fields {
                values[field] = try token(number, row.name)?.value(field.kind)
                if case .required = row.place, values[field] == nil {
                    throw FieldError(field: row.name, rule: "is missing")
                }
            }
        }
        try self.init(values: values)
    }

    /// The names of the payload, numbered by row; behind them `impression-type`.
    static let names = WireFieldNames(
        (ImpressionVersions.adAttributionKit.map(\.name) + [type]).enumerated().map { ($0.offset, $0.element) })

    private static let type = "impression-type"
    /// Apple's page has the type as the third field.
    private static let placeOfType = 2
}
