import StrictJSON

extension ImpressionParameters {
    /// The fields that an impression may be given by, in Apple's order.
    public static let fields: [WireField] = [
        .version, .adNetworkID, .campaignID, .sourceIdentifier, .itunesItemID, .nonce, .sourceAppID, .sourceDomain,
        .fidelityType, .timestamp, .eligibleForReengagement,
    ]

    /// Sets one field from the text of an option.
    ///
    /// - Throws: `FieldError` with the field, its rule and the text.
    public mutating func set(_ field: WireField, to text: String) throws(FieldError) {
        switch field {
        case .version: version = try Self.value(field, text, SKAdNetworkVersion.init)
        case .adNetworkID: adNetworkID = try Self.value(field, text, AdNetworkID.init)
        case .campaignID: campaignID = try Self.integer(field, text, CampaignID.init)
        case .sourceIdentifier: sourceIdentifier = try Self.integer(field, text, SourceIdentifier.init)
        case .itunesItemID: itunesItemID = try Self.integer(field, text, AppID.init)
        case .nonce: nonce = try Self.value(field, text) { Nonce($0) }
        case .sourceAppID: sourceAppID = try Self.integer(field, text, AppID.init)
        case .sourceDomain: sourceDomain = try Self.value(field, text, SourceDomain.init)
        case .fidelityType: fidelityType = try Self.integer(field, text, FidelityType.init)
        case .timestamp: timestamp = try Self.integer(field, text, MillisecondTimestamp.init)
        case .eligibleForReengagement: eligibleForReengagement = try Self.boolean(field, text)
        default: throw FieldError(field, "is not a field of an impression", value: text)
        }
    }

    /// Reads the fields out of one JSON object; a key that is none of an impression's is refused, since it is most
    /// likely a field misspelt.
    ///
    /// - Throws: `ImpressionError`.
    public init(json: [UInt8]) throws(ImpressionError) {
        self = try json.withUnsafeBufferPointer { (bytes) throws(ImpressionError) in
            try ImpressionParameters(WireFields.impression(bytes))
        }
    }

    init(_ wire: WireFields<WireField>, besides allowed: Set<WireField> = []) throws(ImpressionError) {
        do throws(FieldError) {
            if let key = wire.unknownKey {
                throw FieldError(field: JSONText.shown(key), rule: "is not a field of an impression")
            }
            for field in wire.present where !Self.fields.contains(field) && !allowed.contains(field) {
                throw FieldError(field, "is not a field of an impression")
            }
            version = try wire.text(.version, as: SKAdNetworkVersion.self)
            adNetworkID = try wire.text(.adNetworkID, as: AdNetworkID.self)
            campaignID = try wire.integer(.campaignID, as: CampaignID.self)
            sourceIdentifier = try wire.integer(.sourceIdentifier, as: SourceIdentifier.self)
            itunesItemID = try wire.integer(.itunesItemID, as: AppID.self)
            nonce = try wire.text(.nonce, as: Nonce.self)
            sourceAppID = try wire.integer(.sourceAppID, as: AppID.self)
            sourceDomain = try wire.text(.sourceDomain, as: SourceDomain.self)
            fidelityType = try wire.integer(.fidelityType, as: FidelityType.self)
            timestamp = try wire.integer(.timestamp, as: MillisecondTimestamp.self)
            eligibleForReengagement = try wire.boolean(.eligibleForReengagement)
        } catch {
            throw .field(error)
        }
    }

    private static func value<Value: WireValue>(
        _ field: WireField, _ text: String, _ make: (String) -> Value?
    ) throws(FieldError) -> Value {
        guard let value = make(text) else {
            throw FieldError(field, "must be \(Value.rule)", value: JSONText.quoted(String(text.prefix(60))))
        }
        return value
    }

    private static func integer<Value: WireValue>(
        _ field: WireField, _ text: String, _ make: (Int64) -> Value?
    ) throws(FieldError) -> Value {
        // Canonical decimal only: no plus sign, no leading zeros.
        guard let integer = Int64(text), String(integer) == text, let value = make(integer) else {
            throw FieldError(field, "must be \(Value.rule)", value: JSONText.quoted(String(text.prefix(60))))
        }
        return value
    }

    private static func boolean(_ field: WireField, _ text: String) throws(FieldError) -> Bool {
        guard let flag = Bool(text) else {
            throw FieldError(field, "must be true or false", value: JSONText.quoted(String(text.prefix(60))))
        }
        return flag
    }

    /// The most bytes that one impression's JSON may have.
    static let maximumSize = 16_384
}

extension WireFields<WireField> {
    /// Scans the JSON of one impression.
    static func impression(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImpressionError) -> WireFields {
        let maximumSize = ImpressionParameters.maximumSize
        guard bytes.count <= maximumSize else {
            throw .field(FieldError(field: "impression", rule: "must have at most \(maximumSize) bytes"))
        }
        do {
            return try WireFields(bytes, maximumDepth: 2)
        } catch {
            throw .json(byteOffset: error.offset, rule: error.rule.rawValue)
        }
    }
}
