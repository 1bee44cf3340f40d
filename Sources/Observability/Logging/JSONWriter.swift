/// Writes one JSON object into a bounded buffer.
///
/// Whatever the values are, the result is valid JSON of about the limit.
///
/// Strings are cut between two scalars and then end with `…`. Members are left out if there is no room. Then
/// `isTruncated` is true.
package struct JSONWriter {
    /// The bytes so far.
    package private(set) var bytes: [UInt8] = []
    /// Whether anything was cut or left out.
    private(set) var isTruncated = false

    private let limit: Int
    private let stringLimit: Int
    private var needsComma = false
    private var depth = 0

    /// Deeper values are written as one `…`, so that there are few brackets to close.
    private static let maximumDepth = 16
    /// Bytes kept free for closing brackets, the smallest member, and what the caller adds after a cut.
    private static let reserve = 128

    /// Starts with an empty text.
    /// - Parameters:
    ///   - limit: The greatest number of bytes, at least 256.
    ///   - stringLimit: The greatest number of bytes of one string, so that there is room for other values.
    package init(limit: Int = .max, stringLimit: Int = .max) {
        self.limit = max(limit, 256)
        self.stringLimit = stringLimit
    }

    private var room: Int { limit - Self.reserve - bytes.count }

    /// Writes an object; its members are written in the closure.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        nest("{", "}", members)
    }

    /// Writes an array; its elements are written in the closure, each through `element`.
    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        nest("[", "]", elements)
    }

    /// Writes a member of an object, or leaves it out if there is no room.
    package mutating func member(_ name: String, _ value: (inout JSONWriter) -> Void) {
        element { writer in
            writer.string(name)
            writer.append(":")
            value(&writer)
        }
    }

    /// Writes an element of an array, or leaves it out if there is no room.
    package mutating func element(_ value: (inout JSONWriter) -> Void) {
        guard room > 0 else {
            isTruncated = true
            return
        }
        if needsComma { append(",") }
        value(&self)
        needsComma = true
    }

    /// Writes a number or a literal.
    ///
    /// The text must be JSON.
    package mutating func literal(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a string with escapes for quotes, backslashes and all control characters, also C1, which control
    /// terminals.
    package mutating func string(_ text: String) {
        append("\"")
        let end = bytes.count + min(stringLimit, max(room, 0))
        for scalar in text.unicodeScalars {
            let before = bytes.count
            append(escaping: scalar)
            guard bytes.count <= end else {
                bytes.removeSubrange(before...)
                append("…")
                isTruncated = true
                break
            }
        }
        append("\"")
    }

    /// Writes the member `truncated` if something was cut.
    ///
    /// There is always room for it.
    mutating func truncationMark() {
        guard isTruncated else { return }
        if needsComma { append(",") }
        append("\"truncated\":true")
        needsComma = true
    }

    private mutating func nest(_ open: StaticString, _ close: StaticString, _ body: (inout JSONWriter) -> Void) {
        guard depth < Self.maximumDepth else {
            isTruncated = true
            append("\"…\"")
            return
        }
        depth += 1
        append(open)
        needsComma = false
        body(&self)
        append(close)
        depth -= 1
    }

    private mutating func append(escaping scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x22: append("\\\"")
        case 0x5C: append("\\\\")
        case 0x0A: append("\\n")
        case 0x0D: append("\\r")
        case 0x09: append("\\t")
        case 0..<0x20, 0x7F..<0xA0:
            append("\\u00")
            append(hexDigit: UInt8(truncatingIfNeeded: scalar.value >> 4))
            append(hexDigit: UInt8(truncatingIfNeeded: scalar.value & 15))
        case 0x20..<0x7F: bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    private mutating func append(hexDigit value: UInt8) {
        bytes.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
