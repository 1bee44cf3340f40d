/// The keys of one object so far, to refuse the second of two equal ones.
///
/// A postback has about a dozen keys, where comparing each with each is quickest; a body made of keys alone has
/// thousands, where a hashed set keeps the cost in proportion to its size.
struct JSONKeySet {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var few: [JSONStringRange] = []
    private var many: Set<[UInt8]> = []

    private static let limitOfFew = 32

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        few.reserveCapacity(16)
    }

    /// Takes the key in; false where it is there already.
    mutating func insert(_ key: JSONStringRange) -> Bool {
        if !many.isEmpty { return many.insert(unescaped(key)).inserted }
        for other in few where equal(other, key) { return false }
        few.append(key)
        if few.count > Self.limitOfFew {
            many = Set(few.map(unescaped))
        }
        return true
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
