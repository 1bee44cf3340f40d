import Foundation

/// Times and amounts of the App Store as commands show them.
enum AppStoreText {
    /// The last moment of the year 9999.
    private static let lastTime: Int64 = 253_402_300_799_999

    /// `2026-11-22T12:00:00Z` from milliseconds since 1970.
    static func time(_ milliseconds: Int64) -> String {
        // Somebody else may have chosen it.
        guard (0...lastTime).contains(milliseconds) else { return String(milliseconds) }
        return Date(timeIntervalSince1970: TimeInterval(milliseconds / 1_000)).formatted(.iso8601)
    }

    /// `9.99` from milliunits of a currency, with at least two decimal places.
    static func amount(_ milliunits: Int64) -> String {
        let (whole, part) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1_000)
        var digits = String(String(1_000 + part).dropFirst())
        if digits.hasSuffix("0") { digits.removeLast() }
        return "\(milliunits < 0 ? "-" : "")\(whole).\(digits)"
    }

    /// The status of a subscription in a word.
    static func status(_ status: Int64) -> String {
        switch status {
        case 1: "active"
        case 2: "expired"
        case 3: "billing retry"
        case 4: "grace period"
        case 5: "revoked"
        default: String(status)
        }
    }
}

/// Data of Apple's answer that was refused; why was shown before.
struct RefusedStoreData: Error, CustomStringConvertible {
    let count: Int

    var description: String { "\(count) signed texts of Apple's answer were refused" }
}
