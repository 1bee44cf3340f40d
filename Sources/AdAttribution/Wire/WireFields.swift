import Encodings
import StrictJSON

/// The known fields of one JSON object, as tokens: read once, then asked for by name and type.
///
/// Keys that are none of `Field`'s are scanned and passed over; they stay in the body that is kept.
struct WireFields<Field: WireFieldName> {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var members: [(field: Field, token: JSONToken)] = []
    private var firstUnknownKey: JSONStringRange?

    /// Scans the bytes of one object.
    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) throws(JSONError) {
        self.bytes = bytes
        var members: [(field: Field, token: JSONToken)] = []
        members.reserveCapacity(16)
        var firstUnknownKey: JSONStringRange?
        let names = Field.names
        var scanner = JSONScanner(bytes, maximumDepth: maximumDepth)
        try scanner.scanDocument { (key, token) throws(JSONError) in
            if let field = names[bytes, key] {
                members.append((field, token))
            } else if firstUnknownKey == nil {
                firstUnknownKey = key
            }
        }
        self.members = members
        self.firstUnknownKey = firstUnknownKey
    }

    private subscript(_ field: Field) -> JSONToken? {
        members.first { $0.field == field }?.token
    }

    /// Whether the object has the field, `null` included.
    func has(_ field: Field) -> Bool {
        self[field] != nil
    }

    /// The fields that the object has, in its order.
    var present: some Sequence<Field> {
        members.lazy.map(\.field)
    }

    /// The first key that is none of `Field`'s, if any.
    var unknownKey: String? {
        firstUnknownKey.map { JSONToken.text(bytes, $0) }
    }

    /// An integer field, or nil where it is absent; a refusal where it is of another type or out of range.
    func integer<Value: IntegerWireValue>(_ field: Field, as: Value.Type) throws(FieldError) -> Value? {
        guard let token = self[field] else { return nil }
        guard case .integer(let integer) = token, let value = Value(integer) else {
            throw FieldError(field, "must be \(Value.rule)", value: token.excerpt(bytes))
        }
        return value
    }

    /// A string field, or nil where it is absent; a refusal where it is of another type or out of form.
    func text<Value: TextWireValue>(_ field: Field, as: Value.Type) throws(FieldError) -> Value? {
        guard let token = self[field] else { return nil }
        guard case .string(let range) = token, let value = Value(JSONToken.text(bytes, range)) else {
            throw FieldError(field, "must be a string: \(Value.textRule)", value: token.excerpt(bytes))
        }
        return value
    }

    /// A string field as it is, or nil where it is absent or no string.
    func string(_ field: Field) -> String? {
        guard case .string(let range)? = self[field] else { return nil }
        return JSONToken.text(bytes, range)
    }

    /// The bytes of a string field, unescaped, or nil where it is absent; a refusal where it is of another type.
    func bytes(_ field: Field) throws(FieldError) -> [UInt8]? {
        guard let token = self[field] else { return nil }
        guard case .string(let range) = token else {
            throw FieldError(field, "must be a string", value: token.excerpt(bytes))
        }
        return range.hasEscapes ? JSONEscape.unescape(bytes, range) : Array(bytes[range.start..<range.end])
    }

    /// A boolean field, or nil where it is absent; a refusal where it is anything else, 0 and 1 included.
    func boolean(_ field: Field) throws(FieldError) -> Bool? {
        guard let token = self[field] else { return nil }
        guard case .boolean(let flag) = token else {
            throw FieldError(field, "must be true or false", value: token.excerpt(bytes))
        }
        return flag
    }

    /// A signature in padded base64, or nil where it is absent.
    func signature(_ field: Field) throws(FieldError) -> [UInt8]? {
        guard let token = self[field] else { return nil }
        guard case .string(let range) = token else {
            throw FieldError(field, "must be a string: padded base64", value: token.excerpt(bytes))
        }
        let decoded =
            range.hasEscapes
            ? JSONEscape.unescape(bytes, range).withUnsafeBufferPointer { Base64.decode($0) }
            : Base64.decode(UnsafeBufferPointer(rebasing: bytes[range.start..<range.end]))
        guard let decoded, !decoded.isEmpty else { throw FieldError(field, "must be a string: padded base64") }
        return decoded
    }

    /// The value of a field that must be there.
    func required<Value>(_ field: Field, _ value: Value?) throws(FieldError) -> Value {
        guard let value else { throw FieldError(field, "is missing") }
        return value
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
