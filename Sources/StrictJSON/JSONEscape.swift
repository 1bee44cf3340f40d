import Encodings

/// The escape sequences of JSON strings.
///
/// `\u` surrogates are accepted only in pairs.
package enum JSONEscape {
    /// Checks the escape that begins at `position`, and returns its end.
    static func skip(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) throws(JSONError) -> Int {
        var end = position
        _ = try read(bytes, at: &end)
        return end
    }

    /// The string of a range of checked bytes, without escapes.
    package static func unescape(_ bytes: UnsafeBufferPointer<UInt8>, _ range: JSONStringRange) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(range.end - range.start)
        unescape(bytes, range, into: &output)
        return output
    }

    /// Appends the string that a range of checked bytes stands for, of which whole scalars up to `limit` bytes.
    static func unescape(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: JSONStringRange, into output: inout [UInt8], limit: Int = .max
    ) {
        var position = range.start
        let start = output.count
        while position < range.end {
            let before = output.count
            if bytes[position] == UInt8(ascii: "\\") {
                guard let scalar = try? read(bytes, at: &position) else { return }
                output.append(contentsOf: Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
            } else {
                let length = bytes[position] < 0x80 ? 1 : UTF8Sequence.length(bytes, at: position) ?? 1
                for offset in 0..<min(length, range.end - position) { output.append(bytes[position + offset]) }
                position += length
            }
            guard output.count - start <= limit else {
                output.removeSubrange(before...)
                return
            }
        }
    }

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, at position: inout Int
    ) throws(JSONError) -> Unicode.Scalar {
        let start = position
        guard start + 1 < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        position += 2
        switch bytes[start + 1] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw JSONError(.invalidEscape, at: start)
        }
        let unit = try readUnit(bytes, at: &position)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // A low surrogate must follow a high one.
        guard (0xD800...0xDBFF).contains(unit), position + 1 < bytes.count,
            bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        else { throw JSONError(.invalidEscape, at: start) }
        position += 2
        let low = try readUnit(bytes, at: &position)
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + UInt32(low) - 0xDC00)
        else { throw JSONError(.invalidEscape, at: start) }
        return scalar
    }

    private static func readUnit(
        _ bytes: UnsafeBufferPointer<UInt8>, at position: inout Int
    ) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
            guard let nibble = Hexadecimal.nibble(bytes[position]) else {
                throw JSONError(.invalidEscape, at: position)
            }
            unit = unit << 4 | UInt16(nibble)
            position += 1
        }
        return unit
    }
}
