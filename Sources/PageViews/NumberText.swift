import Foundation

/// Numbers as people read them; the exact ones are beside them in the page.
package enum NumberText {
    /// A decimal number with so many places, and a comma between thousands.
    ///
    /// - Parameter text: A number as the database writes it; anything else is returned as it is.
    package static func decimal(_ text: String, places: Int) -> String {
        guard var value = Decimal(string: text, locale: posix) else { return text }
        var rounded = Decimal()
        NSDecimalRound(&rounded, &value, places, .plain)
        let parts = "\(rounded)".split(separator: ".", omittingEmptySubsequences: false)
        let isNegative = parts[0].hasPrefix("-")
        let digits = Array(isNegative ? parts[0].dropFirst() : parts[0])
        var whole = isNegative ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { whole += "," }
            whole.append(digit)
        }
        guard places > 0 else { return whole }
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        return whole + "." + fraction + String(repeating: "0", count: max(0, places - fraction.count))
    }

    /// A share of 1 in percent.
    package static func share(_ text: String) -> String {
        guard let value = Decimal(string: text, locale: posix) else { return text }
        return decimal("\(value * 100)", places: 1) + " %"
    }

    private static let posix = Locale(identifier: "en_US_POSIX")
}
