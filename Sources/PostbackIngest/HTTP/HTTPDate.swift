// Either module may be the one that defines tm: the one that is loaded first.
import CDispatch
import Glibc

/// The `Date` header (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// `Sun, 06 Nov 1994 08:49:37 GMT` for a second since 1970.
    static func text(_ second: Int64) -> String {
        var time = time_t(second)
        var parts = tm()
        gmtime_r(&time, &parts)
        // The program sets no locale, so the names are English.
        return String(unsafeUninitializedCapacity: 64) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            }
        }
    }
}
