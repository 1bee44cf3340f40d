/// A value of JSON as the scanner found it; strings and containers are ranges of the scanned bytes.
package enum JSONToken: Sendable {
    case string(JSONStringRange)
    /// An integer in canonical form that fits 63 bits and a sign.
    case integer(Int64)
    /// Any other number: with fraction or exponent, `-0`, or too large.
    case number(Range<Int>)
    case boolean(Bool)
    case null
    case object(Range<Int>)
    case array(Range<Int>)
}

/// A string inside scanned bytes, without its quotes, not unescaped yet.
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
