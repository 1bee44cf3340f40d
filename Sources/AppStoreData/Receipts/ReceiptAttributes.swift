/// The attributes of a receipt, or of a purchase in it, by their types.
///
/// They are a SET of SEQUENCEs of a type, a version and an OCTET STRING, which has the value.
struct ReceiptAttributes {
    /// The values of the attribute that may stand more than once, in their order.
    private(set) var repeated: [ArraySlice<UInt8>] = []
    private var values: [Int64: ArraySlice<UInt8>] = [:]
    private var doubled: Set<Int64> = []
    /// What a refusal says behind the type, as ` of purchase 3`.
    private let place: String

    /// Takes the attributes apart, but no value.
    init(_ bytes: ArraySlice<UInt8>, repeating: ReceiptField? = nil, place: String = "") throws(ReceiptRejection) {
        self.place = place
        guard let attributes = DERReader.only(.set, in: bytes) else {
            throw Self.malformed("attributes" + place, "a SET")
        }
        var reader = DERReader(attributes)
        while !reader.isAtEnd {
            guard let attribute = reader.contents(.sequence) else {
                throw Self.malformed("attributes" + place, "SEQUENCEs")
            }
            var parts = DERReader(attribute)
            guard let type = parts.integer(), parts.integer() != nil, let value = parts.contents(.octetString),
                parts.isAtEnd
            else { throw Self.malformed("attributes" + place, "of a type, a version and a value") }
            if type == repeating?.rawValue {
                repeated.append(value)
            } else if values.updateValue(value, forKey: type) != nil {
                doubled.insert(type)
            }
        }
    }

    /// The types that are not read, in the order of their numbers.
    var others: [Int64] { values.keys.filter { ReceiptField(rawValue: $0) == nil }.sorted() }

    /// The value as it stands, whatever it is.
    func bytes(_ field: ReceiptField) throws(ReceiptRejection) -> ArraySlice<UInt8>? {
        // Of two values, one parser takes the first and another the last.
        guard !doubled.contains(field.rawValue) else {
            throw ReceiptRejection(.malformed, field: name(field), rule: "stands twice")
        }
        return values[field.rawValue]
    }

    /// A text; nil if it is not there, or empty.
    func text(_ field: ReceiptField) throws(ReceiptRejection) -> String? {
        guard let value = try bytes(field) else { return nil }
        let isASCII = value.first == DERReader.Tag.ia5String.rawValue
        guard let text = DERReader.only(isASCII ? .ia5String : .utf8String, in: value),
            !isASCII || text.allSatisfy({ $0 < 0x80 }), let string = String(validating: text, as: UTF8.self)
        else { throw Self.malformed(name(field), "a text") }
        return string.isEmpty ? nil : string
    }

    /// A moment in milliseconds since 1970; nil if it is not there, or empty.
    func date(_ field: ReceiptField) throws(ReceiptRejection) -> Int64? {
        guard let text = try text(field) else { return nil }
        guard let date = ReceiptDate.milliseconds(text) else { throw Self.malformed(name(field), "a date of RFC 3339") }
        return date
    }

    /// An integer; nil if it is not there.
    func integer(_ field: ReceiptField) throws(ReceiptRejection) -> Int64? {
        guard let value = try bytes(field) else { return nil }
        var reader = DERReader(value)
        guard let integer = reader.integer(), reader.isAtEnd else { throw Self.malformed(name(field), "an integer") }
        return integer
    }

    /// A value that must be there.
    func required<Value>(_ value: Value?, _ field: ReceiptField) throws(ReceiptRejection) -> Value {
        guard let value else { throw ReceiptRejection(.malformed, field: name(field), rule: "is missing") }
        return value
    }

    private func name(_ field: ReceiptField) -> String { "type \(field.rawValue)\(place)" }

    private static func malformed(_ field: String, _ rule: String) -> ReceiptRejection {
        ReceiptRejection(.malformed, field: field, rule: "must be \(rule)")
    }
}
