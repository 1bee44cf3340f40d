import Encodings
import StrictJSON

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
