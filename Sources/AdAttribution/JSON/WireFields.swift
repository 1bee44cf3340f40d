/// The known fields of one JSON object, as tokens: read once, then asked for by name and type.
///
/// Keys that no version knows are scanned and passed over; they stay in the body that is kept.
struct WireFields {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var tokens: [JSONToken?]
    /// The first key that is none of Apple's, if any.
    private(set) var unknownKey: String?

    /// Scans the bytes of one object.
    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) throws(JSONError) {
        self.bytes = bytes
        var tokens = [JSONToken?](repeating: nil, count: WireField.allCases.count)
        var unknownKey: String?
        var scanner = JSONScanner(bytes, maximumDepth: maximumDepth)
        try scanner.scanDocument { (key, token) throws(JSONError) in
            if let field = WireFieldName.field(bytes, key) {
                tokens[field.ordinal] = token
            } else if unknownKey == nil {
                unknownKey = JSONToken.text(bytes, key)
            }
        }
        self.tokens = tokens
        self.unknownKey = unknownKey
    }

    /// Whether the object has the field, `null` included.
    func has(_ field: WireField) -> Bool {
        tokens[field.ordinal] != nil
    }

    /// The fields that the object has.
    var present: [WireField] {
        WireField.allCases.filter(has)
    }

    /// An integer field, or nil where it is absent; a refusal where it is of another type or out of range.
    func integer<Value: IntegerWireValue>(_ field: WireField, as: Value.Type) throws(FieldError) -> Value? {
        guard let token = tokens[field.ordinal] else { return nil }
        guard case .integer(let integer) = token, let value = Value(integer) else {
            throw FieldError(field, "must be \(Value.rule)", value: token.excerpt(bytes))
        }
        return value
    }

    /// A string field, or nil where it is absent; a refusal where it is of another type or out of form.
    func text<Value: TextWireValue>(_ field: WireField, as: Value.Type) throws(FieldError) -> Value? {
        guard let token = tokens[field.ordinal] else { return nil }
        guard case .string(let range) = token, let value = Value(JSONToken.text(bytes, range)) else {
            throw FieldError(field, "must be a string: \(Value.rule)", value: token.excerpt(bytes))
        }
        return value
    }

    /// A boolean field, or nil where it is absent; a refusal where it is anything else, 0 and 1 included.
    func boolean(_ field: WireField) throws(FieldError) -> Bool? {
        guard let token = tokens[field.ordinal] else { return nil }
        guard case .boolean(let flag) = token else {
            throw FieldError(field, "must be true or false", value: token.excerpt(bytes))
        }
        return flag
    }

    /// A signature in padded base64, or nil where it is absent.
    func signature(_ field: WireField) throws(FieldError) -> [UInt8]? {
        guard let token = tokens[field.ordinal] else { return nil }
        guard case .string(let range) = token else {
            throw FieldError(field, "must be a string: padded base64", value: token.excerpt(bytes))
        }
        let decoded =
            range.hasEscapes
            ? JSONEscape.unescape(bytes, range).withUnsafeBufferPointer(Base64.decode)
            : Base64.decode(UnsafeBufferPointer(rebasing: bytes[range.start..<range.end]))
        guard let decoded, !decoded.isEmpty else { throw FieldError(field, "must be a string: padded base64") }
        return decoded
    }
}

extension JSONToken {
    /// The text of a scanned string.
    static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ range: JSONStringRange) -> String {
        guard range.hasEscapes else {
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[range.start..<range.end]), as: UTF8.self)
        }
        return String(decoding: JSONEscape.unescape(bytes, range), as: UTF8.self)
    }

    /// The token as it stands in the bytes, cut short, for messages to the one who wrote it.
    func excerpt(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        switch self {
        case .string(let range): JSONText.quoted(String(JSONToken.text(bytes, range).prefix(60)))
        case .integer(let integer): String(integer)
        case .number(let range), .object(let range), .array(let range):
            String(decoding: bytes[range.prefix(60)], as: UTF8.self)
        case .boolean(let flag): String(flag)
        case .null: "null"
        }
    }
}
