import Encodings
import StrictJSON

extension ImpressionParameters {
    /// Sets one field from the text of an option.
    ///
    /// - Throws: `FieldError` with the field, its rule and the text.
    public mutating func set(_ field: ImpressionField, to text: String) throws(FieldError) {
        guard let value = field.kind.value(ofOption: text) else {
            throw FieldError(
                field: field.rawValue, rule: "must be \(field.kind.rule)",
                value: JSONText.quoted(text.prefix(bytes: 60)))
        }
        self[field] = value
    }

    /// Reads the fields of one JSON object.
    ///
    /// An unknown key is refused, because it is probably a misspelt field.
    ///
    /// - Throws: `ImpressionError`.
    public init(json: [UInt8]) throws(ImpressionError) {
        self = try json.withUnsafeBufferPointer { (bytes) throws(ImpressionError) in
            try ImpressionParameters(WireFields.impression(bytes))
        }
    }

    init(_ wire: WireFields<ImpressionMember>, besides allowed: ImpressionProof? = nil) throws(ImpressionError) {
        self.init()
        do throws(FieldError) {
            if let key = wire.unknownKey {
                throw FieldError(field: JSONText.shown(key), rule: "is not a field of an impression")
            }
            for (key, token) in wire.members {
                switch key {
                case .field(let field):
                    self[field] = try WireToken(token: token, name: field.rawValue, bytes: wire.bytes)
                        .value(field.kind)
                case .proof(let proof):
                    guard proof == allowed else {
                        throw FieldError(field: proof.rawValue, rule: "is not a field of an impression")
                    }
                }
            }
        } catch {
            throw .field(error)
        }
    }

    /// The greatest number of bytes of an impression's JSON.
    static let maximumSize = 16_384
}

extension WireFields<ImpressionMember> {
    /// Scans the JSON of one impression.
    static func impression(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImpressionError) -> WireFields {
        try members(bytes, names: ImpressionMember.names, maximumDepth: 2)
    }

    /// What proves the impression.
    ///
    /// - Throws: `FieldError` if it is missing.
    func required(_ proof: ImpressionProof) throws(FieldError) -> WireToken {
        guard let token = self[.proof(proof)] else { throw FieldError(field: proof.rawValue, rule: "is missing") }
        return WireToken(token: token, name: proof.rawValue, bytes: bytes)
    }
}

extension WireFields {
    /// Scans the JSON of an impression in one of its forms.
    static func members(
        _ bytes: UnsafeBufferPointer<UInt8>, names: WireFieldNames<Field>, maximumDepth: Int
    ) throws(ImpressionError) -> WireFields {
        let maximumSize = ImpressionParameters.maximumSize
        guard bytes.count <= maximumSize else {
            throw .field(FieldError(field: "impression", rule: "must have at most \(maximumSize) bytes"))
        }
        do {
            return try WireFields(bytes, names: names, maximumDepth: maximumDepth)
        } catch {
            throw .json(byteOffset: error.offset, rule: error.rule.rawValue)
        }
    }
}
