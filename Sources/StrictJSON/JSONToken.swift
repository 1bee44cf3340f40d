import Encodings

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

extension JSONToken {
    /// How much of a value an excerpt shows, in bytes.
    private static var excerptSize: Int { 60 }

    /// The text of a scanned string.
    package static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ range: JSONStringRange) -> String {
        guard range.hasEscapes else {
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[range.start..<range.end]), as: UTF8.self)
        }
        return String(decoding: JSONEscape.unescape(bytes, range), as: UTF8.self)
    }

    /// The beginning of the value as JSON, cut by bytes, for messages to the one who wrote it.
    package func excerpt(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        switch self {
        case .string(let range):
            var beginning: [UInt8] = []
            JSONEscape.unescape(bytes, range, into: &beginning, limit: Self.excerptSize)
            return JSONText.quoted(String(decoding: beginning, as: UTF8.self))
        case .integer(let integer): return String(integer)
        case .number(let range), .object(let range), .array(let range):
            // Three more bytes end the last scalar.
            return String(decoding: bytes[range.prefix(Self.excerptSize + 3)], as: UTF8.self)
                .prefix(bytes: Self.excerptSize)
        case .boolean(let flag): return String(flag)
        case .null: return "null"
        }
    }
}
