/// A moment as logs show it: RFC 3339, UTC, milliseconds.
package struct LogTimestamp {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    /// This moment.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The moment as `2026-01-31T23:59:59.999Z`.
    ///
    /// Moments outside of the years 0 to 9999 are shown as the nearest one inside.
    package var rfc3339: String {
        let bounded = min(max(milliseconds, Self.first), Self.last)
        let day = bounded.floored(by: 86_400_000)
        let time = bounded - day * 86_400_000
        let (year, month, dayOfMonth) = Self.civil(day: day)
        return "\(Self.pad(year, 4))-\(Self.pad(month, 2))-\(Self.pad(dayOfMonth, 2))"
            + "T\(Self.pad(time / 3_600_000, 2)):\(Self.pad(time / 60_000 % 60, 2)):\(Self.pad(time / 1_000 % 60, 2))"
            + ".\(Self.pad(time % 1_000, 3))Z"
    }

    private static let first: Int64 = -62_167_219_200_000
    private static let last: Int64 = 253_402_300_799_999

    /// The Gregorian date of a day counted from 1970-01-01.
    ///
    /// It counts in eras of 400 years that begin on 1 March, so that the leap day is the last day and months need no
    /// table.
    private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = shifted.floored(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func pad(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    /// The quotient rounded down, also for negative numbers.
    fileprivate func floored(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
