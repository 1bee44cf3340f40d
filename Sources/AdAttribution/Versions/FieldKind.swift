package import struct Foundation.UUID

/// The value of a field, as it was read and as it is signed.
package enum FieldValue: Sendable, Hashable {
    /// `true` or `false`.
    case boolean(Bool)
    /// An integer, signed in plain decimal.
    case integer(Int64)
    /// A text, signed as it is.
    case text(String)
    /// A UUID, and the text of it that is signed.
    case uuid(UUID, text: String)

    /// The integer, if it is one.
    package var integer: Int64? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }

    /// The flag, if it is one.
    package var boolean: Bool? {
        guard case .boolean(let flag) = self else { return nil }
        return flag
    }

    /// The text of a text or of a UUID.
    package var text: String? {
        switch self {
        case .text(let text), .uuid(_, let text): text
        case .boolean, .integer: nil
        }
    }
}

/// The JSON kind of a field, and the rule of its value.
package enum FieldKind: Sendable {
    /// `true` or `false`.
    case boolean
    /// An integer that obeys a rule.
    case integer(rule: String, isValid: @Sendable (Int64) -> Bool)
    /// A string that obeys a rule.
    case text(rule: String, isValid: @Sendable (String) -> Bool)
    /// A string with a UUID, signed as it was received.
    case uuid
    /// A string with a UUID, signed in lower case.
    case lowercaseUUID

    /// An integer that a value type accepts.
    static func integer<Value: IntegerWireValue>(_: Value.Type) -> FieldKind {
        .integer(rule: Value.rule) { Value($0) != nil }
    }

    /// A string that a value type accepts.
    static func text<Value: TextWireValue>(_: Value.Type) -> FieldKind {
        .text(rule: Value.textRule) { Value($0) != nil }
    }

    /// What the value must be, to complete "must be …".
    package var rule: String {
        switch self {
        case .boolean: "true or false"
        case .integer(let rule, _), .text(let rule, _): rule
        case .uuid, .lowercaseUUID: TransactionID.rule
        }
    }

    /// The JSON type of a value, as JSON Schema names it.
    package enum JSONType: String, Sendable {
        case boolean
        case integer
        case string
    }

    /// The JSON type of the value.
    package var jsonType: JSONType {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .text, .uuid, .lowercaseUUID: .string
        }
    }

    /// The rule of the value in JSON, to complete "must be …".
    var jsonRule: String {
        switch self {
        case .boolean, .integer: rule
        case .text, .uuid, .lowercaseUUID: "a string: \(rule)"
        }
    }

    /// The value of an integer; nil if the field does not allow it.
    package func value(_ integer: Int64) -> FieldValue? {
        guard case .integer(_, let isValid) = self, isValid(integer) else { return nil }
        return .integer(integer)
    }

    /// The value of a text; nil if the field does not allow it.
    package func value(_ text: String) -> FieldValue? {
        switch self {
        case .boolean, .integer: nil
        case .text(_, let isValid): isValid(text) ? .text(text) : nil
        case .uuid: UUIDText.parse(text).map { .uuid($0, text: text) }
        case .lowercaseUUID: UUIDText.parse(text).map { .uuid($0, text: UUIDText.lowercase($0)) }
        }
    }

    /// The value of an option on a command line.
    ///
    /// An integer has its canonical decimal form: no plus sign, no leading zeros.
    func value(ofOption text: String) -> FieldValue? {
        switch self {
        case .boolean: Bool(text).map { .boolean($0) }
        case .integer: Int64(text).flatMap { String($0) == text ? value($0) : nil }
        case .text, .uuid, .lowercaseUUID: value(text)
        }
    }
}
