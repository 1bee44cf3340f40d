/// A moment of a simulation: milliseconds since 1970-01-01 00:00 UTC.
package struct Moment: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970, negative before.
    package let milliseconds: Int64

    /// The moment with a number of milliseconds since 1970.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The order in time.
    package static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }

    /// A later moment.
    package static func + (moment: Moment, length: Milliseconds) -> Moment {
        Moment(milliseconds: moment.milliseconds + length.count)
    }

    /// The time from one moment to another.
    package static func - (later: Moment, earlier: Moment) -> Milliseconds {
        Milliseconds(later.milliseconds - earlier.milliseconds)
    }
}

/// A length of time in whole milliseconds.
package struct Milliseconds: Sendable, Hashable, Comparable {
    /// The number of milliseconds.
    package let count: Int64

    /// A length of some milliseconds.
    package init(_ count: Int64) {
        self.count = count
    }

    /// A length of whole minutes.
    package static func minutes(_ count: Int) -> Milliseconds { Milliseconds(Int64(count) * 60_000) }

    /// A length of whole hours.
    package static func hours(_ count: Int) -> Milliseconds { minutes(count * 60) }

    /// A length of whole days of 24 hours.
    package static func days(_ count: Int) -> Milliseconds { hours(count * 24) }

    /// The order by length.
    package static func < (left: Milliseconds, right: Milliseconds) -> Bool { left.count < right.count }

    /// The sum of two lengths.
    package static func + (left: Milliseconds, right: Milliseconds) -> Milliseconds {
        Milliseconds(left.count + right.count)
    }

    /// How many whole days of 24 hours are over, rounded down.
    package var wholeDays: Int { Int(count.dividingRoundedDown(by: Self.days(1).count)) }
}

extension Int64 {
    /// The quotient, rounded down also for negative numbers.
    func dividingRoundedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
