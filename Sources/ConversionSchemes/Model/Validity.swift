#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A point in time in whole seconds, as a scheme writes it: `2026-10-01T00:00:00Z`, years 2000 to 9999.
package struct SchemeTime: Sendable, Hashable, Comparable {
    /// Seconds since 1970-01-01 00:00:00 UTC.
    package let secondsSince1970: Int64

    /// What a time must be, to complete "must be …".
    package static let rule = "a time in UTC such as 2026-10-01T00:00:00Z"

    /// 2000-01-01 to the end of 9999.
    private static let range: ClosedRange<Int64> = 946_684_800...253_402_300_799

    /// The time; nil if it is out of range.
    package init?(secondsSince1970: Int64) {
        guard Self.range.contains(secondsSince1970) else { return nil }
        self.secondsSince1970 = secondsSince1970
    }

    /// Reads a time; nil if it is out of range or written in any other way.
    package init?(_ text: String) {
        guard text.utf8.count == 20, let date = try? Date(text, strategy: Date.ISO8601FormatStyle()),
            let seconds = Int64(exactly: date.timeIntervalSince1970)
        else { return nil }
        self.init(secondsSince1970: seconds)
        // The library takes 31 April for 1 May.
        guard self.text == text else { return nil }
    }

    /// Reads a time, or a day such as `2026-10-01` for its first second in UTC.
    package init?(timeOrDay text: String) {
        self.init(text.utf8.count == 10 ? text + "T00:00:00Z" : text)
    }

    /// The time as a scheme writes it.
    package var text: String {
        Date(timeIntervalSince1970: TimeInterval(secondsSince1970)).formatted(Date.ISO8601FormatStyle())
    }

    /// Whether it is a full quarter of an hour, UTC.
    package var isQuarterHour: Bool { secondsSince1970 % 900 == 0 }

    /// Earlier is less.
    package static func < (left: SchemeTime, right: SchemeTime) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
}

/// When the app sets values by a scheme: from `from` on, and before `to`.
package struct Validity: Sendable, Hashable {
    /// The first second.
    package let from: SchemeTime
    /// The first second that does not belong to it any more; nil if it is open.
    package let to: SchemeTime?

    /// The validity; nil if it ends before it has begun.
    package init?(from: SchemeTime, to: SchemeTime?) {
        if let to, to <= from { return nil }
        self.from = from
        self.to = to
    }
}
