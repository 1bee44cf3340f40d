import Encodings
import StrictJSON

/// A field of a JSON object: its token, its name, and the bytes of the object.
///
/// Each value has exactly one JSON type. Another type is refused with the name of the field.
struct WireToken {
    let token: JSONToken
    let name: String
    let bytes: UnsafeBufferPointer<UInt8>

    /// An integer.
    func integer<Value: IntegerWireValue>(as: Value.Type) throws(FieldError) -> Value {
        guard case .integer(let integer) = token, let value = Value(integer) else { throw refusal(Value.rule) }
        return value
    }

    /// A string.
    func text<Value: TextWireValue>(as: Value.Type) throws(FieldError) -> Value {
        guard let string, let value = Value(string) else { throw refusal("a string: \(Value.textRule)") }
        return value
    }

    /// The text of a string; nil if it is not a string.
    var string: String? {
        guard case .string(let range) = token else { return nil }
        return JSONToken.text(bytes, range)
    }

    /// The bytes of a string, unescaped.
    func utf8() throws(FieldError) -> [UInt8] {
        guard case .string(let range) = token else { throw refusal("a string") }
        return range.hasEscapes ? JSONEscape.unescape(bytes, range) : Array(bytes[range.start..<range.end])
    }

    /// A signature in padded base64.
    func signature() throws(FieldError) -> [UInt8] {
        guard case .string(let range) = token else { throw refusal("a string: padded base64") }
        let decoded =
            range.hasEscapes
            ? JSONEscape.unescape(bytes, range).withUnsafeBufferPointer { Base64.decode($0) }
            : Base64.decode(UnsafeBufferPointer(rebasing: bytes[range.start..<range.end]))
        guard let decoded, !decoded.isEmpty else {
            throw FieldError(field: name, rule: "must be a string: padded base64")
        }
        return decoded
    }

    /// The value of a row of a table.
    func value(_ kind: FieldKind) throws(FieldError) -> FieldValue {
        let value: FieldValue? =
            switch (token, kind) {
            case (.boolean(let flag), .boolean): .boolean(flag)
            case (.integer(let integer), .integer): kind.value(integer)
            case (.string(let range), .text), (.string(let range), .uuid), (.string(let range), .lowercaseUUID):
                kind.value(JSONToken.text(bytes, range))
            default: nil
            }
        guard let value else { throw refusal(kind.jsonRule) }
        return value
    }

    private func refusal(_ rule: String) -> FieldError {
        FieldError(field: name, rule: "must be \(rule)", value: token.excerpt(bytes))
    }
}
