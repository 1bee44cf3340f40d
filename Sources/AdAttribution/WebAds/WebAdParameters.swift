import StrictJSON

/// The fields of a new link of a web ad, read from a request to the admin listener.
package struct WebAdParameters: Sendable, Hashable {
    /// `ad-network-id`, in lower case.
    package let adNetworkID: AdNetworkID
    /// `source-identifier`, 0…9999.
    package let sourceIdentifier: SourceIdentifier
    /// `itunes-item-id`: the advertised app.
    package let itunesItemID: AppID
    /// `attribution-destination`.
    package let attributionDestination: AttributionDestination
    /// `nonce`; nil asks for a new one.
    package let nonce: Nonce?
    /// `time-to-live` in seconds; nil asks for the default.
    package let timeToLive: TimeToLive?

    /// How long a link is valid.
    package struct TimeToLive: IntegerWireValue {
        /// Seconds, from a minute to thirty days.
        package let seconds: Int64

        /// Takes seconds; nil if they are out of range.
        package init?(_ integer: Int64) {
            guard (60...2_592_000).contains(integer) else { return nil }
            seconds = integer
        }

        /// A day.
        package static let day = TimeToLive(seconds: 86_400)

        private init(seconds: Int64) {
            self.seconds = seconds
        }

        /// What the value must be, to complete "must be …".
        package static let rule = "seconds, an integer from 60 to 2592000"
    }

    /// Reads one JSON object.
    ///
    /// An unknown key is refused, because it is probably misspelt.
    ///
    /// - Throws: `ImpressionError`.
    package init(json: [UInt8]) throws(ImpressionError) {
        self = try json.withUnsafeBufferPointer { (bytes) throws(ImpressionError) in
            let fields: WireFields<Field>
            do throws(JSONError) {
                fields = try WireFields(bytes, maximumDepth: 2)
            } catch {
                throw .json(byteOffset: error.offset, rule: error.rule.rawValue)
            }
            do throws(FieldError) {
                return try WebAdParameters(fields)
            } catch {
                throw .field(error)
            }
        }
    }

    private enum Field: String, WireFieldName {
        case adNetworkID = "ad-network-id"
        case attributionDestination = "attribution-destination"
        case itunesItemID = "itunes-item-id"
        case nonce
        case sourceIdentifier = "source-identifier"
        case timeToLive = "time-to-live"

        static let names = WireFieldNames<Self>()
    }

    /// The fields of a request.
    package static let described = [
        DescribedField(Field.adNetworkID.rawValue, .text(AdNetworkID.self)),
        DescribedField(Field.sourceIdentifier.rawValue, .integer(SourceIdentifier.self)),
        DescribedField(Field.itunesItemID.rawValue, .integer(AdvertisedAppID.self)),
        DescribedField(Field.attributionDestination.rawValue, .text(AttributionDestination.self)),
        DescribedField(Field.nonce.rawValue, .text(Nonce.self)),
        DescribedField(Field.timeToLive.rawValue, .integer(TimeToLive.self)),
    ]

    /// The names of those that must be there.
    package static let requiredNames = [
        Field.adNetworkID, .sourceIdentifier, .itunesItemID, .attributionDestination,
    ].map(\.rawValue)

    private init(_ fields: WireFields<Field>) throws(FieldError) {
        if let key = fields.unknownKey {
            throw FieldError(field: JSONText.shown(key), rule: "is not a field of a web ad")
        }
        adNetworkID = try fields.required(.adNetworkID, fields.text(.adNetworkID, as: AdNetworkID.self))
        guard adNetworkID.isLowercase else {
            throw FieldError(Field.adNetworkID, "must be in lower case", value: adNetworkID.text)
        }
        sourceIdentifier = try fields.required(
            .sourceIdentifier, fields.integer(.sourceIdentifier, as: SourceIdentifier.self))
        itunesItemID = try fields.required(
            .itunesItemID, fields.integer(.itunesItemID, as: AdvertisedAppID.self)
        ).appID
        attributionDestination = try fields.required(
            .attributionDestination, fields.text(.attributionDestination, as: AttributionDestination.self))
        nonce = try fields.text(.nonce, as: Nonce.self)
        timeToLive = try fields.integer(.timeToLive, as: TimeToLive.self)
    }
}
