/// A JSON value that the scanner found.
///
/// Strings and containers are ranges of the scanned bytes.
package enum JSONToken: Sendable {
    case string(JSONStringRange)
    /// An integer in canonical form that fits into 63 bits and a sign.
    case integer(Int64)
    /// Any other number: with a fraction or an exponent, `-0`, or too large.
    case number(Range<Int>)
    case boolean(Bool)
    case null
    case object(Range<Int>)
    case array(Range<Int>)
}

/// The range of a string in scanned bytes, without its quotes and with its escapes.
package struct JSONStringRange: Sendable {
    package let start: Int
    package let end: Int
    package let hasEscapes: Bool

    package init(start: Int, end: Int, hasEscapes: Bool) {
        self.start = start
        self.end = end
        self.hasEscapes = hasEscapes
    }
}
