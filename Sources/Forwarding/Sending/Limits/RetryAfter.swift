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
            seconds = date - now
        }
        return min(maximum, .seconds(min(max(0, seconds), maximum.components.seconds)))
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Seconds since 1970 of a date in one of the three forms of RFC 9110, section 5.6.7; the day of the week is not
    /// looked at.
    private static func date(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        let words = text.split { " ,-".contains($0) }.dropFirst().map(String.init)
        // "06 Nov 1994 08:49:37 GMT" and "06-Nov-94 08:49:37 GMT"
        if words.count == 5, words[4] == "GMT" { return date(words[0], words[1], words[2], words[3]) }
        // "Nov  6 08:49:37 1994"
        return words.count == 4 ? date(words[1], words[0], words[3], words[2]) : nil
    }

    private static func date(_ day: String, _ month: String, _ year: String, _ time: String) -> Int64? {
        let clock = time.split(separator: ":").compactMap { number(String($0), 0...60) }
        guard let day = number(day, 1...31), let month = months.firstIndex(of: month), clock.count == 3,
            clock[0] <= 23, clock[1] <= 59, var year = number(year, 0...9_999)
        else { return nil }
        // Of two digits, the century is the one that is nearest to now.
        if year < 100 { year += year < 70 ? 2_000 : 1_900 }
        // Days from 1970-01-01 by the calendar that begins in March, so that a leap day is a year's last day.
        let (march, since) = month >= 2 ? (year, month - 2) : (year - 1, month + 10)
        let days = 365 * march + march / 4 - march / 100 + march / 400 + (153 * since + 2) / 5 + day - 1 - 719_468
        return Int64(days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2])
    }

    private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Int(text) else {
            return nil
        }
        return range.contains(number) ? number : nil
    }
}
