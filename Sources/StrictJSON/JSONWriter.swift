/// Writes one JSON object into a bounded buffer.
///
/// Whatever the values are, the result is valid JSON of about the limit.
///
/// Strings are cut between two scalars and then end with `…`. Members are left out if there is no room. Then
/// `isTruncated` is true.
package struct JSONWriter {
    /// The bytes so far.
    package internal(set) var bytes: [UInt8] = []
    /// Whether anything was cut or left out.
    package private(set) var isTruncated = false

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
        beginElement()
        value(&self)
        needsComma = true
    }

    /// Begins a member under a name in which nothing needs an escape.
    mutating func beginMember(_ plainName: String) {
        beginElement()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: plainName.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func beginElement() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Writes a number or a literal.
    ///
    /// The text must be JSON.
    package mutating func literal(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a string, escaped.
    package mutating func string(_ text: String) {
        let most = min(stringLimit, max(room, 0))
        // An escape makes six bytes of one at most.
        guard text.utf8.count > most / 6 else { return JSONText.append(text, to: &bytes) }
        append("\"")
        let end = bytes.count + most
        for scalar in text.unicodeScalars {
            let before = bytes.count
            JSONText.append(scalar, to: &bytes)
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
    package mutating func truncationMark() {
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
        begin(open)
        body(&self)
        end(close)
    }

    /// Begins an object or an array.
    mutating func begin(_ bracket: StaticString) {
        depth += 1
        append(bracket)
        needsComma = false
    }

    /// Ends an object or an array.
    mutating func end(_ bracket: StaticString) {
        append(bracket)
        depth -= 1
        needsComma = true
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
