import Foundation

/// A moment in the life of a token, to the second.
package struct TokenTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// What the text of a moment must be.
    package static let rule = "must be a time in UTC such as 2027-01-31T00:00:00Z"

    /// Seconds since 1970-01-01T00:00:00Z.
    package let seconds: Int64

    /// Takes seconds since 1970; nil outside of the years 1970 to 9999.
    package init?(seconds: Int64) {
        guard (0..<253_402_300_800).contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Reads such a text as `description` is; nil if it is another one.
    package init?(_ text: String) {
        guard let date = try? Date(text, strategy: .iso8601),
            let time = TokenTime(seconds: Int64(date.timeIntervalSince1970)), time.description == text
        else { return nil }
        self = time
    }

    /// The moment as `2027-01-31T00:00:00Z`.
    package var description: String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }

    /// Earlier is less.
    package static func < (left: TokenTime, right: TokenTime) -> Bool { left.seconds < right.seconds }
}
