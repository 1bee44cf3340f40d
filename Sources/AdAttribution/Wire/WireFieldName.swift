package import StrictJSON

/// The names that one kind of JSON object has on Apple's wire; any other key is unknown to it.
package protocol WireFieldName: RawRepresentable<String>, CaseIterable, Sendable, Equatable {
    /// The names of all fields, made once.
    static var names: WireFieldNames<Self> { get }
}

/// The names of all fields of a kind, to be found by their bytes.
package struct WireFieldNames<Field: WireFieldName>: Sendable {
    /// Each field at a place that its name's hash decides, or behind it where that is taken.
    private let places: [(field: Field, utf8: [UInt8])?]

    /// Four times as many places as any kind has fields, so that hardly two meet.
    private static var placeCount: Int { 128 }

    package init() {
        var places: [(field: Field, utf8: [UInt8])?] = Array(repeating: nil, count: Self.placeCount)
        for field in Field.allCases {
            let utf8 = Array(field.rawValue.utf8)
            var place = utf8.withUnsafeBufferPointer(Self.hash)
            while places[place] != nil { place = (place + 1) % Self.placeCount }
            places[place] = (field, utf8)
        }
        self.places = places
    }

    /// The field of this key, or nil where the key is none of them; makes no string of a key without escapes.
    package subscript(_ bytes: UnsafeBufferPointer<UInt8>, _ key: JSONStringRange) -> Field? {
        if key.hasEscapes { return Field(rawValue: JSONToken.text(bytes, key)) }
        guard key.start < key.end else { return nil }
        let name = UnsafeBufferPointer(rebasing: bytes[key.start..<key.end])
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
        // Length, first and last character, and the middle one, tell the names apart.
        let first = Int(name[0])
        let middle = Int(name[name.count / 2])
        let last = Int(name[name.count - 1])
        return (name.count &* 29 &+ first &* 5 &+ middle &* 3 &+ last) % placeCount
    }
}
