// Either module may be the one that defines tm: the one that is loaded first.
import CDispatch
import Glibc

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

    /// Seconds since 1970 of a date in one of the three forms of RFC 9110, section 5.6.7.
    private static func date(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        for format in ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"] {
            var parts = tm()
            let isWhole = text.withCString { start in
                strptime(start, format, &parts).map { $0.pointee == 0 } ?? false
            }
            if isWhole { return Int64(timegm(&parts)) }
        }
        return nil
    }
}
