import Foundation

/// The header `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
enum RetryAfter {
    /// The longest wait that a receiver may ask for.
    static let maximum = Duration.seconds(86_400)

    /// How long to wait, from zero to `maximum`; nil if the text is neither form.
    ///
    /// - Parameter now: Seconds since 1970.
    static func delay(_ text: String, at now: Int64) -> Duration? {
        let seconds: Int64
        if !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {
            // A number that is too large is a long time.
            seconds = Int64(text) ?? .max
        } else {
            guard let date = date(text) else { return nil }
            seconds = date > now ? date - now : 0
        }
        return min(maximum, .seconds(min(max(0, seconds), maximum.components.seconds)))
    }

    /// Seconds since 1970 of a date in one of the three forms of RFC 9110, section 5.6.7.
    private static func date(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        for format in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
            formatter.dateFormat = format
            // A year of many digits may be beyond all numbers.
            if let date = formatter.date(from: text) {
                return Int64(exactly: date.timeIntervalSince1970.rounded(.down))
            }
        }
        return nil
    }
}
