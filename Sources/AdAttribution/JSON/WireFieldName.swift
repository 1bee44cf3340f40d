/// The names that one kind of JSON object has on Apple's wire; any other key is unknown to it.
protocol WireFieldName: RawRepresentable<String>, CaseIterable, Sendable, Equatable {
    /// Each field with the bytes of its name, made once.
    static var names: [(field: Self, utf8: [UInt8])] { get }
}

extension WireFieldName {
    /// All cases with the bytes of their names.
    static func makeNames() -> [(field: Self, utf8: [UInt8])] {
        allCases.map { ($0, Array($0.rawValue.utf8)) }
    }

    /// The field of this key, or nil where the key is none of them; makes no string of a key without escapes.
    init?(_ bytes: UnsafeBufferPointer<UInt8>, _ key: JSONStringRange) {
        if key.hasEscapes {
            self.init(rawValue: JSONToken.text(bytes, key))
            return
        }
        let length = key.end - key.start
        for name in Self.names where name.utf8.count == length {
            if name.utf8.elementsEqual(bytes[key.start..<key.end]) {
                self = name.field
                return
            }
        }
        return nil
    }
}
