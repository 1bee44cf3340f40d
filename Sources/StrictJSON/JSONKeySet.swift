/// The keys of one object so far, to refuse the second of two equal ones.
///
/// A postback has about a dozen keys, where comparing each with each is quickest; a body made of keys alone has
/// thousands, where a hashed set keeps the cost in proportion to its size.
struct JSONKeySet {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var few: [(key: JSONStringRange, fingerprint: UInt64)] = []
    private var many: Set<[UInt8]> = []

    private static let limitOfFew = 32

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        few.reserveCapacity(16)
    }

    /// Takes the key in; false where it is there already.
    mutating func insert(_ key: JSONStringRange) -> Bool {
        if !many.isEmpty { return many.insert(unescaped(key)).inserted }
        let fingerprint = fingerprint(key)
        for other in few where other.fingerprint == fingerprint || other.key.hasEscapes || key.hasEscapes {
            if equal(other.key, key) { return false }
        }
        few.append((key, fingerprint))
        if few.count > Self.limitOfFew {
            many = Set(few.map { unescaped($0.key) })
        }
        return true
    }

    /// What equal keys without escapes have in common: the length and the last characters.
    private func fingerprint(_ key: JSONStringRange) -> UInt64 {
        let length = key.end - key.start
        var last: UInt64 = 0
        for offset in 1...max(1, min(length, 7)) where offset <= length {
            last = last << 8 | UInt64(bytes[key.end - offset])
        }
        return last << 8 | UInt64(truncatingIfNeeded: length & 0xFF)
    }

    private func equal(_ left: JSONStringRange, _ right: JSONStringRange) -> Bool {
        if left.hasEscapes || right.hasEscapes { return unescaped(left) == unescaped(right) }
        guard left.end - left.start == right.end - right.start else { return false }
        for offset in 0..<(left.end - left.start) where bytes[left.start + offset] != bytes[right.start + offset] {
            return false
        }
        return true
    }

    private func unescaped(_ key: JSONStringRange) -> [UInt8] {
        key.hasEscapes ? JSONEscape.unescape(bytes, key) : Array(bytes[key.start..<key.end])
    }
}
