/// Reads values of DER (X.690) one after the other: tag, length, contents.
///
/// It does not go into contents by itself, so nesting costs nothing. It refuses what has a shorter form.
struct DERReader {
    /// The tags that receipts have.
    enum Tag: UInt8 {
        case integer = 0x02
        case octetString = 0x04
        case utf8String = 0x0C
        case ia5String = 0x16
        case sequence = 0x30
        case set = 0x31
    }

    private var rest: ArraySlice<UInt8>

    /// Begins at the first of some bytes.
    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Whether there is nothing more.
    var isAtEnd: Bool { rest.isEmpty }

    /// The contents of the next value; nil if it has another tag, or is not DER.
    mutating func contents(_ tag: Tag) -> ArraySlice<UInt8>? {
        guard rest.first == tag.rawValue, let first = rest.dropFirst().first else { return nil }
        var contents = rest.dropFirst(2)
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            let digits = contents.prefix(count)
            guard (1...4).contains(count), digits.count == count, digits.first != 0 else { return nil }
            length = digits.reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80 else { return nil }
            contents = contents.dropFirst(count)
        }
        guard length <= contents.count else { return nil }
        rest = contents.dropFirst(length)
        return contents.prefix(length)
    }

    /// The next value as an integer; nil if it is none, or beyond 64 bits.
    mutating func integer() -> Int64? {
        guard let contents = contents(.integer), let first = contents.first, contents.count <= 8 else { return nil }
        let sign: UInt8 = first >= 0x80 ? 0xFF : 0
        if let second = contents.dropFirst().first, first == sign, (second ^ sign) < 0x80 { return nil }
        return contents.reduce(Int64(Int8(bitPattern: sign))) { $0 << 8 | Int64($1) }
    }

    /// The contents of a value that has no other behind it.
    static func only(_ tag: Tag, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var reader = DERReader(bytes)
        guard let contents = reader.contents(tag), reader.isAtEnd else { return nil }
        return contents
    }
}
