import Encodings
package import StrictJSON

/// The known fields of one JSON object as tokens.
///
/// They are read once, and then asked for by name and type.
///
/// Unknown keys are scanned and ignored. They stay in the stored body.
struct WireFields<Field: Sendable & Equatable> {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var members: [(field: Field, token: JSONToken)] = []
    private var firstUnknownKey: JSONStringRange?

    /// Scans the bytes of one object.
    init(
        _ bytes: UnsafeBufferPointer<UInt8>, names: WireFieldNames<Field>, maximumDepth: Int
    ) throws(JSONError) {
        self.bytes = bytes
        var members: [(field: Field, token: JSONToken)] = []
        members.reserveCapacity(16)
        var firstUnknownKey: JSONStringRange?
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

    subscript(_ field: Field) -> JSONToken? {
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

    /// The first unknown key, if there is one.
    var unknownKey: String? {
        firstUnknownKey.map { JSONToken.text(bytes, $0) }
    }
}

extension WireFields where Field: WireFieldName {
    /// Scans the bytes of one object.
    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) throws(JSONError) {
        try self.init(bytes, names: Field.names, maximumDepth: maximumDepth)
    }

    /// A field with its name, or nil if it is absent.
    private subscript(named field: Field) -> WireToken? {
        self[field].map { WireToken(token: $0, name: field.rawValue, bytes: bytes) }
    }

    /// An integer field, or nil if it is absent.
    func integer<Value: IntegerWireValue>(_ field: Field, as type: Value.Type) throws(FieldError) -> Value? {
        try self[named: field]?.integer(as: type)
    }

    /// A string field, or nil if it is absent.
    func text<Value: TextWireValue>(_ field: Field, as type: Value.Type) throws(FieldError) -> Value? {
        try self[named: field]?.text(as: type)
    }

    /// The text of a string field; nil if it is absent or not a string.
    func string(_ field: Field) -> String? { self[named: field]?.string }

    /// The value of a required field.
    func required<Value>(_ field: Field, _ value: Value?) throws(FieldError) -> Value {
        guard let value else { throw FieldError(field, "is missing") }
        return value
    }
}

/// Apple's names of the fields of one kind of JSON object.
///
/// Every other key is unknown.
package protocol WireFieldName: RawRepresentable<String>, CaseIterable, Sendable, Equatable {
    /// The names of all fields, made once.
    static var names: WireFieldNames<Self> { get }
}

extension WireFieldNames where Field: WireFieldName {
    package init() {
        self.init(Field.allCases.map { ($0, $0.rawValue) })
    }
}

/// The names of all fields of a kind, for finding a field by the bytes of its name.
package struct WireFieldNames<Field: Sendable>: Sendable {
    /// Each field is at the place of its name's hash, or at the next free place after it.
    private let places: [(field: Field, utf8: [UInt8])?]

    /// Four times as many places as a kind has fields, so that two fields rarely have the same place.
    private static var placeCount: Int { 128 }

    init(_ fields: [(field: Field, name: String)]) {
        precondition(fields.count <= Self.placeCount / 2, "more fields than this table of names is made for")
        var places: [(field: Field, utf8: [UInt8])?] = Array(repeating: nil, count: Self.placeCount)
        for (field, name) in fields {
            let utf8 = Array(name.utf8)
            var place = utf8.withUnsafeBufferPointer(Self.hash)
            while places[place] != nil { place = (place + 1) % Self.placeCount }
            places[place] = (field, utf8)
        }
        self.places = places
    }

    /// The field of a key; nil if the key is unknown.
    ///
    /// It makes no string of a key without escapes.
    package subscript(_ bytes: UnsafeBufferPointer<UInt8>, _ key: JSONStringRange) -> Field? {
        if key.hasEscapes {
            return JSONEscape.unescape(bytes, key).withUnsafeBufferPointer(field)
        }
        return field(UnsafeBufferPointer(rebasing: bytes[key.start..<key.end]))
    }

    @inline(__always)
    private func field(_ name: UnsafeBufferPointer<UInt8>) -> Field? {
        guard !name.isEmpty else { return nil }
        var place = Self.hash(name)
        while let (field, utf8) = places[place] {
            if utf8.count == name.count, utf8.withUnsafeBufferPointer({ Self.equal($0, name) }) { return field }
            place = (place + 1) % Self.placeCount
        }
        return nil
    }

    @inline(__always)
    private static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    @inline(__always)
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        // The names differ in their length or in their first, middle or last character.
        let first = Int(name[0])
        let middle = Int(name[name.count / 2])
        let last = Int(name[name.count - 1])
        return (name.count &* 29 &+ first &* 5 &+ middle &* 3 &+ last) % placeCount
    }
}

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
