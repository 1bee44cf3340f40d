/// A strict scanner for the bytes of one JSON text (RFC 8259), in one pass, without a copy, with bounded recursion.
///
/// It is stricter than the RFC, because parsers disagree about some texts: it refuses duplicate keys (compared without
/// escapes), unpaired surrogates and nesting beyond `maximumDepth`. It distinguishes exact 64-bit integers from other
/// numbers, and uses no floating point.
package struct JSONScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0
    private let maximumDepth: Int

    package init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// Scans bytes that must be one object, and passes on its members in order.
    package mutating func scanDocument(
        member: (JSONStringRange, JSONToken) throws(JSONError) -> Void
    ) throws(JSONError) {
        skipWhitespace()
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        guard bytes[position] == UInt8(ascii: "{") else {
            // The rule is "not JSON" for bytes that are not JSON, and "not an object" for an array or a scalar.
            let start = position
            _ = try scanValue(depth: 1)
            throw JSONError(.notAnObject, at: start)
        }
        try scanObject(depth: 1, member: member)
        skipWhitespace()
        guard position == bytes.count else { throw JSONError(.trailingBytes, at: position) }
    }

    /// Scans bytes that must be one array, and passes on its elements in order with their ranges.
    package mutating func scanArrayDocument(
        element: (JSONToken, Range<Int>) throws(JSONError) -> Void
    ) throws(JSONError) {
        skipWhitespace()
        try scanArray(depth: 1, element: element)
        skipWhitespace()
        guard position == bytes.count else { throw JSONError(.trailingBytes, at: position) }
    }

    /// The first byte that is not white space, or nil.
    package mutating func firstByte() -> UInt8? {
        skipWhitespace()
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func scanValue(depth: Int) throws(JSONError) -> JSONToken {
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        let start = position
        switch bytes[position] {
        case UInt8(ascii: "\""):
            return .string(try scanString())
        case UInt8(ascii: "{"):
            try scanObject(depth: depth) { (_, _) throws(JSONError) in }
            return .object(start..<position)
        case UInt8(ascii: "["):
            try scanArray(depth: depth) { (_, _) throws(JSONError) in }
            return .array(start..<position)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try scanNumber()
        case UInt8(ascii: "t"):
            try expect("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try expect("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try expect("null")
            return .null
        default:
            throw JSONError(.unexpectedByte, at: position)
        }
    }

    private mutating func scanObject(
        depth: Int, member: (JSONStringRange, JSONToken) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard depth <= maximumDepth else { throw JSONError(.tooDeep, at: position) }
        position += 1
        var keys = JSONKeySet(bytes)
        skipWhitespace()
        if try take(UInt8(ascii: "}")) { return }
        while true {
            guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
            guard bytes[position] == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: position) }
            let keyOffset = position
            let key = try scanString()
            guard keys.insert(key) else { throw JSONError(.duplicateKey, at: keyOffset) }
            skipWhitespace()
            guard try take(UInt8(ascii: ":")) else { throw JSONError(.unexpectedByte, at: position) }
            skipWhitespace()
            try member(key, try scanValue(depth: depth + 1))
            skipWhitespace()
            if try take(UInt8(ascii: "}")) { return }
            guard try take(UInt8(ascii: ",")) else { throw JSONError(.unexpectedByte, at: position) }
            skipWhitespace()
        }
    }

    private mutating func scanArray(
        depth: Int, element: (JSONToken, Range<Int>) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard depth <= maximumDepth else { throw JSONError(.tooDeep, at: position) }
        guard try take(UInt8(ascii: "[")) else { throw JSONError(.unexpectedByte, at: position) }
        skipWhitespace()
        if try take(UInt8(ascii: "]")) { return }
        while true {
            let start = position
            let token = try scanValue(depth: depth + 1)
            try element(token, start..<position)
            skipWhitespace()
            if try take(UInt8(ascii: "]")) { return }
            guard try take(UInt8(ascii: ",")) else { throw JSONError(.unexpectedByte, at: position) }
            skipWhitespace()
        }
    }

    private mutating func scanNumber() throws(JSONError) -> JSONToken {
        let start = position
        let negative = bytes[position] == UInt8(ascii: "-")
        if negative { position += 1 }
        let digits = position
        var magnitude: UInt64 = 0
        var fits = true
        while position < bytes.count, case let digit = bytes[position] &- 0x30, digit < 10 {
            // 18 digits always fit into 63 bits. With 19 it must be checked, and 20 never fit.
            if position - digits >= 19 { fits = false }
            magnitude = magnitude &* 10 &+ UInt64(digit)
            position += 1
        }
        guard position > digits else {
            throw JSONError(position < bytes.count ? .unexpectedByte : .unexpectedEnd, at: position)
        }
        if bytes[digits] == 0x30, position - digits > 1 { throw JSONError(.unexpectedByte, at: digits + 1) }
        var exact = fits && !(negative && magnitude == 0)
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            exact = false
            position += 1
            try scanDigits()
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            exact = false
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            try scanDigits()
        }
        guard exact, magnitude <= UInt64(Int64.max) else { return .number(start..<position) }
        return .integer(negative ? -Int64(magnitude) : Int64(magnitude))
    }

    private mutating func scanDigits() throws(JSONError) {
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
        guard position > start else {
            throw JSONError(position < bytes.count ? .unexpectedByte : .unexpectedEnd, at: position)
        }
    }

    private mutating func scanString() throws(JSONError) -> JSONStringRange {
        position += 1
        let start = position
        var hasEscapes = false
        while position < bytes.count {
            skipPlainCharacters()
            guard position < bytes.count else { break }
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return JSONStringRange(start: start, end: position - 1, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position = try JSONEscape.skip(bytes, at: position)
            case 0x20..<0x80:
                position += 1
            case 0x80...:
                guard let length = UTF8Sequence.length(bytes, at: position) else {
                    throw JSONError(.invalidUTF8, at: position)
                }
                position += length
            default:
                throw JSONError(.unexpectedByte, at: position)
            }
        }
        throw JSONError(.unexpectedEnd, at: position)
    }

    /// Skips plain characters of a string, eight at a time: ASCII without quotes, backslashes and control characters.
    ///
    /// Source: S. E. Anderson, "Bit Twiddling Hacks", "Determine if a word has a byte less than n".
    @inline(__always)
    private mutating func skipPlainCharacters() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        while bytes.count - position >= 8 {
            let next = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped + position)
            let word = UInt64(littleEndian: next.loadUnaligned(as: UInt64.self))
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            let others = (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones) | word
            guard others & highBits == 0 else {
                // The lowest marked byte is not a plain character. Higher ones may be marked because of its carry.
                position += (others & highBits).trailingZeroBitCount / 8
                return
            }
            position += 8
        }
    }

    private mutating func expect(_ word: StaticString) throws(JSONError) {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
            guard bytes[position] == word.utf8Start[offset] else { throw JSONError(.unexpectedByte, at: position) }
            position += 1
        }
    }

    private mutating func take(_ byte: UInt8) throws(JSONError) -> Bool {
        guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
        guard bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}

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
