import Foundation

/// Numbers as people read them; the exact ones are beside them in the page.
package enum NumberText {
    /// A decimal number with so many places, and a comma between thousands.
    ///
    /// - Parameter text: A number as the database writes it; anything else is returned as it is.
    package static func decimal(_ text: String, places: Int) -> String {
        // Most numbers of a page are integers.
        if places == 0, let number = Int64(text), text.utf8.first != UInt8(ascii: "+") {
            return (number < 0 ? "-" : "") + thousands("\(number.magnitude)")
        }
        guard var value = Decimal(string: text, locale: posix) else { return text }
        var rounded = Decimal()
        NSDecimalRound(&rounded, &value, places, .plain)
        let parts = "\(rounded)".split(separator: ".", omittingEmptySubsequences: false)
        let isNegative = parts[0].hasPrefix("-")
        let whole = (isNegative ? "-" : "") + thousands(isNegative ? parts[0].dropFirst() : parts[0])
        guard places > 0 else { return whole }
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        return whole + "." + fraction + String(repeating: "0", count: max(0, places - fraction.count))
    }

    /// Digits with a comma between thousands.
    private static func thousands(_ digits: some StringProtocol) -> String {
        var (text, left) = ("", digits.utf8.count)
        for digit in digits.unicodeScalars {
            text.unicodeScalars.append(digit)
            left -= 1
            if left > 0, left % 3 == 0 { text += "," }
        }
        return text
    }

    /// A share of 1 in percent.
    package static func share(_ text: String) -> String {
        guard let value = Decimal(string: text, locale: posix) else { return text }
        return decimal("\(value * 100)", places: 1) + " %"
    }

    /// A duration in the unit that fits its length: `0.4 s`, `35 s`, `12 min`, `7 h`, `3 days`.
    ///
    /// A number that is not finite is –.
    package static func duration(seconds: Double) -> String {
        guard seconds.isFinite else { return "–" }
        func whole(_ number: Double) -> String { decimal("\(Int64(min(number, 1e15).rounded()))", places: 0) }
        return switch max(0, seconds) {
        case ..<0.05: "0 s"
        case ..<9.95: decimal("\(seconds)", places: 1) + " s"
        case ..<119.5: whole(seconds) + " s"
        case ..<7_170: whole(seconds / 60) + " min"
        case ..<171_000: whole(seconds / 3_600) + " h"
        default: whole(seconds / 86_400) + " days"
        }
    }

    private static let posix = Locale(identifier: "en_US_POSIX")
}
