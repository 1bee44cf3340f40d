/// Why bytes are not the JSON that we accept, and where.
package struct JSONError: Error, Sendable, Equatable {
    /// The offset of the wrong byte, from 0.
    package let offset: Int
    /// The rule that was broken.
    package let rule: Rule

    /// The rules.
    package enum Rule: String, Sendable {
        case unexpectedByte = "not valid JSON"
        case unexpectedEnd = "JSON ends too early"
        case trailingBytes = "bytes after the JSON value"
        case invalidUTF8 = "not valid UTF-8"
        case invalidEscape = "not a valid escape sequence"
        case tooDeep = "nested too deeply"
        case duplicateKey = "a key of this object stands twice"
        case notAnObject = "must be a JSON object"
    }

    package init(_ rule: Rule, at offset: Int) {
        self.offset = offset
        self.rule = rule
    }
}
