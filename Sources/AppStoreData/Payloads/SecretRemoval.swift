import Encodings
import StrictJSON

/// Takes the shared secret out of the bytes of a request.
enum SecretRemoval {
    /// The member of V1 with the secret.
    private static let name = Array("password".utf8)
    private static let replacement = Array(#""removed""#.utf8)
    /// The most backslashes before the `u` of an escape: four times JSON in JSON.
    private static let mostBackslashes = 16

    /// The bytes without what stands behind `password`.
    static func removing(from body: [UInt8]) -> [UInt8] {
        body.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes, maximumDepth: SignedDataVerifier.maximumDepth)
            do throws(JSONError) {
                try scanner.scanDocument { (_, _) throws(JSONError) in }
            } catch {
                return beginning(of: bytes)
            }
            return replaced(bytes)
        }
    }

    // MARK: JSON

    /// The same object in which each member of the name, at any depth, has another value.
    ///
    /// So has each string that is JSON itself and has such a member.
    private static func replaced(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var copied = 0
        var position = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let start = position + 1
            position = endOfString(bytes, at: position)
            let colon = endOfWhitespace(bytes, at: position)
            let string = start..<max(start, position - 1)
            // In JSON, a string with a colon behind it is the name of a member.
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else {
                if hasMember(bytes, string) {
                    output += bytes[copied..<start - 1]
                    output += replacement
                    copied = position
                }
                continue
            }
            guard isName(bytes, string) else { continue }
            let value = endOfWhitespace(bytes, at: colon + 1)
            output += bytes[copied..<value]
            output += replacement
            position = endOfValue(bytes, at: value)
            copied = position
        }
        return output + bytes[copied...]
    }

    private static func isName(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
        // An escape makes six bytes of one at most.
        guard (name.count...name.count * 6).contains(range.count) else { return false }
        let string = JSONStringRange(start: range.lowerBound, end: range.upperBound, hasEscapes: true)
        let text = JSONEscape.unescape(bytes, string)
        return text.count == name.count && zip(text, name).allSatisfy { $0 | 0x20 == $1 }
    }

    /// Whether a string, without its escapes, has a member of the name: in quotes, and with a colon behind it.
    ///
    /// JSON in JSON in JSON has backslashes before the quotes, and before the `u` of escapes.
    private static func hasMember(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
        // A quote in a string is always an escape.
        guard range.count > name.count, bytes[range].contains(UInt8(ascii: "\\")) else { return false }
        let string = JSONStringRange(start: range.lowerBound, end: range.upperBound, hasEscapes: true)
        return JSONEscape.unescape(bytes, string).withUnsafeBufferPointer { text in
            text.indices.contains { text[$0] == UInt8(ascii: "\"") && isMember(text, at: $0 + 1) }
        }
    }

    /// Whether the name begins here, and a quote and a colon come behind it.
    private static func isMember(_ text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        guard var end = endOfName(in: text, at: start) else { return false }
        while end < text.count, text[end] == UInt8(ascii: "\\") { end += 1 }
        guard end < text.count, text[end] == UInt8(ascii: "\"") else { return false }
        end = endOfWhitespace(text, at: end + 1)
        return end < text.count && text[end] == UInt8(ascii: ":")
    }

    /// The place behind the string that begins here.
    private static func endOfString(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, bytes.count)
    }

    /// The place behind the value that begins here.
    private static func endOfValue(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        var position = start
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position = endOfString(bytes, at: position)
                if depth == 0 { return position }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return position }
                depth -= 1
                if depth == 0 { return position + 1 }
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return position }
            default: break
            }
            position += 1
        }
        return position
    }

    private static func endOfWhitespace(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        var position = start
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        return position
    }

    // MARK: Other bytes

    /// The bytes up to the end of the first name in them, however it is written; all of them if it is not there.
    private static func beginning(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        for start in bytes.indices {
            if let end = endOfName(in: bytes, at: start) { return Array(bytes[..<end]) }
        }
        return Array(bytes)
    }

    /// The place behind the name if it begins here, however it is written.
    private static func endOfName(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        var end = start
        for letter in name {
            guard let next = endOfLetter(letter, in: bytes, at: end) else { return nil }
            end = next
        }
        return end
    }

    /// The place behind a letter: in either case, as an escape, or with the zero bytes of UTF-16 and UTF-32.
    private static func endOfLetter(
        _ letter: UInt8, in bytes: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> Int? {
        guard start < bytes.count else { return nil }
        if bytes[start] | 0x20 == letter {
            var end = start + 1
            while end < min(bytes.count, start + 4), bytes[end] == 0 { end += 1 }
            return end
        }
        // JSON in JSON doubles backslashes. They are bounded, or else a row of them would be read once for each.
        var mark = start
        while mark < min(bytes.count, start + mostBackslashes), bytes[mark] == UInt8(ascii: "\\") { mark += 1 }
        guard mark > start, bytes.count - mark >= 5, bytes[mark] | 0x20 == UInt8(ascii: "u"),
            bytes[mark + 1] == UInt8(ascii: "0"), bytes[mark + 2] == UInt8(ascii: "0"),
            let high = Hexadecimal.nibble(bytes[mark + 3]), let low = Hexadecimal.nibble(bytes[mark + 4]),
            (high << 4 | low) | 0x20 == letter
        else { return nil }
        return mark + 5
    }
}
