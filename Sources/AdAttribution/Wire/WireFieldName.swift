package import StrictJSON

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
