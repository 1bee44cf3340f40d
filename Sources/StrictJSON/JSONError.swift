/// Where and why bytes are not the JSON that is accepted here.
package struct JSONError: Error, Sendable, Equatable {
    /// The offset of the offending byte, from 0.
    package let offset: Int
    /// What is wrong there.
    package let rule: Rule

    /// What can be wrong with bytes that should be JSON.
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
