/// A point in time as PostgreSQL's `timestamptz` counts it: microseconds since 2000-01-01 00:00:00 UTC.
package struct PostgresTimestamp: Sendable, Hashable, Comparable {
    /// Microseconds since 2000-01-01 00:00:00 UTC.
    ///
    /// The least number means -infinity, the greatest infinity.
    package var microsecondsSince2000: Int64

    /// Takes microseconds since 2000-01-01 00:00:00 UTC.
    package init(microsecondsSince2000: Int64) {
        self.microsecondsSince2000 = microsecondsSince2000
    }

    /// Takes milliseconds since 1970-01-01 00:00:00 UTC.
    ///
    /// If they are out of range, the result is -infinity or infinity.
    package init(millisecondsSince1970: Int64) {
        let (shifted, borrow) = millisecondsSince1970.subtractingReportingOverflow(Self.epochOffset)
        let (scaled, overflow) = shifted.multipliedReportingOverflow(by: 1000)
        microsecondsSince2000 = borrow || overflow ? (millisecondsSince1970 < 0 ? .min : .max) : scaled
    }

    /// Milliseconds since 1970-01-01 00:00:00 UTC, rounded down.
    package var millisecondsSince1970: Int64 {
        microsecondsSince2000.flooringQuotient(dividingBy: 1000) + Self.epochOffset
    }

    /// Earlier is less.
    package static func < (left: Self, right: Self) -> Bool {
        left.microsecondsSince2000 < right.microsecondsSince2000
    }

    /// Milliseconds from 1970-01-01 to 2000-01-01.
    private static let epochOffset: Int64 = 946_684_800_000
}

extension Int64 {
    /// The quotient rounded down, so that times before the epoch get the right day.
    ///
    /// The divisor must be positive.
    func flooringQuotient(dividingBy divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

/// A day as PostgreSQL's `date` counts it: days since 2000-01-01, in the Gregorian calendar.
package struct PostgresDate: Sendable, Hashable, Comparable {
    /// Days since 2000-01-01.
    ///
    /// The least number means -infinity, the greatest infinity.
    package var daysSince2000: Int32

    /// Takes days since 2000-01-01.
    package init(daysSince2000: Int32) {
        self.daysSince2000 = daysSince2000
    }

    /// Takes the UTC day of a point in time.
    package init(_ timestamp: PostgresTimestamp) {
        switch timestamp.microsecondsSince2000 {
        case .min: daysSince2000 = .min
        case .max: daysSince2000 = .max
        // 2^63 µs are 106,751,992 days, which fit.
        case let microseconds: daysSince2000 = Int32(microseconds.flooringQuotient(dividingBy: 86_400_000_000))
        }
    }

    /// Earlier is less.
    package static func < (left: Self, right: Self) -> Bool {
        left.daysSince2000 < right.daysSince2000
    }
}
