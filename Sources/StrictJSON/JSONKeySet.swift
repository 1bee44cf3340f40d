/// The keys of one object so far, to refuse the second of two equal ones.
///
/// A postback has about a dozen keys. For so few, comparing fingerprints is quickest. A body made of keys alone has
/// thousands; a hashed set keeps their cost in proportion to the size of the body.
struct JSONKeySet {
    private struct Key {
        /// A hash of all bytes of the key as it reads without escapes.
        let fingerprint: UInt64
        /// The key in the scanned bytes; if it has escapes, in `unescaped`.
        let range: Range<Int>
        let hasEscapes: Bool
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var few: [Key] = []
    private var many: Set<[UInt8]> = []
    /// Every key with escapes, without them, one behind the other: each is unescaped once.
    private(set) var unescaped: [UInt8] = []
    /// How many bytes of two keys were held against each other, because their fingerprints are the same.
    private(set) var comparedBytes = 0

    private static let limitOfFew = 32
    /// Nobody outside knows it, so that nobody can make keys that all have the same fingerprint.
    private static let seed = UInt64.random(in: .min ... .max)

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        few.reserveCapacity(16)
    }

    /// Takes the key in; false if it is there already.
    mutating func insert(_ name: JSONStringRange) -> Bool {
        if !many.isEmpty {
            let text =
                name.hasEscapes ? JSONEscape.unescape(bytes, name) : Array(bytes[name.start..<name.end])
            return many.insert(text).inserted
        }
        let key = key(name)
        for other in few where other.fingerprint == key.fingerprint {
            if equal(other, key) { return false }
        }
        few.append(key)
        if few.count > Self.limitOfFew {
            many = Set(few.map { key in withBytes(of: key) { Array($0) } })
        }
        return true
    }

    private mutating func key(_ name: JSONStringRange) -> Key {
        guard name.hasEscapes else {
            let range = name.start..<name.end
            return Key(
                fingerprint: Self.fingerprint(UnsafeBufferPointer(rebasing: bytes[range])), range: range,
                hasEscapes: false)
        }
        let start = unescaped.count
        JSONEscape.unescape(bytes, name, into: &unescaped)
        let range = start..<unescaped.count
        let fingerprint = unescaped.withUnsafeBufferPointer {
            Self.fingerprint(UnsafeBufferPointer(rebasing: $0[range]))
        }
        return Key(fingerprint: fingerprint, range: range, hasEscapes: true)
    }

    /// Eight bytes at a time, each word mixed in by one long product.
    private static func fingerprint(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: name.count)
        var index = 0
        let raw = UnsafeRawBufferPointer(name)
        while name.count - index >= 8 {
            hash = mix(hash ^ raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest: UInt64 = 0
        while index < name.count {
            rest = rest << 8 | UInt64(name[index])
            index += 1
        }
        return mix(hash ^ rest)
    }

    @inline(__always)
    private static func mix(_ word: UInt64) -> UInt64 {
        // 2^64 divided by the golden ratio, odd.
        let (high, low) = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return high ^ low
    }

    private mutating func equal(_ left: Key, _ right: Key) -> Bool {
        guard left.range.count == right.range.count else { return false }
        comparedBytes += left.range.count
        return withBytes(of: left) { left in withBytes(of: right) { right in left.elementsEqual(right) } }
    }

    private func withBytes<Result>(of key: Key, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard key.hasEscapes else { return body(UnsafeBufferPointer(rebasing: bytes[key.range])) }
        return unescaped.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[key.range])) }
    }
}
