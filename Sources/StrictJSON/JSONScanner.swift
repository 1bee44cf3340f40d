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
