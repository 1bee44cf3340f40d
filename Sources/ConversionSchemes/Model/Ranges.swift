package import Money

/// How much revenue an event brought: at least `from`, at most `to`; both ends are included.
///
/// From 0 on without an upper end means that it is unknown, and a file says `"unknown"`. Such a range has no middle.
///
/// Source: Google Ads API, `RevenueRange`; an exact amount (`event_revenue_value`) has equal ends.
package struct RevenueRange: Sendable, Hashable {
    /// The lower end.
    package let from: Amount
    /// The upper end, not below the lower one; nil if none is known.
    package let to: Amount?

    /// The greatest amount, and the greatest revenue of one value, in units of the currency.
    ///
    /// Reports add up millionths in 64 bits. So they hold 9,223 values of this size in one sum, and 9 trillion units in
    /// all.
    package static let limit = Amount(units: 1_000_000_000)

    /// What an end must be, to complete "must be …".
    package static let rule = Amount.rule(from: .zero, to: limit)

    /// The range; nil if an end is out of range, or if it ends before it begins.
    package init?(from: Amount, to: Amount?) {
        guard from <= Self.limit, to.map({ (from...Self.limit).contains($0) }) ?? true else { return nil }
        self.from = from
        self.to = to
    }

    private init(openFrom from: Amount) {
        self.from = from
        to = nil
    }

    /// Any revenue, or none: nobody knows.
    package static let unknown = RevenueRange(openFrom: .zero)

    /// Whether the range is one amount.
    package var isExact: Bool { from == to }
    /// Whether it says nothing.
    package var isUnknown: Bool { self == .unknown }
}

/// How often an event happened: at least `from` times, at most `to` times.
///
/// From 0 on means that it need not have happened.
///
/// Source: Google Ads API, `EventOccurrenceRange`; an exact number (`event_counter`) has equal ends.
package struct CountRange: Sendable, Hashable {
    /// The lower end, 0 or more.
    package let from: Int64
    /// The upper end, not below the lower one; nil if none is known.
    package let to: Int64?

    /// The greatest number of times that a scheme may say.
    package static let limit: Int64 = 1_000_000_000

    /// At least once: what an event without a count says.
    package static let atLeastOnce = CountRange(openFrom: 1)
    /// Perhaps: the event of a bucket of revenue that begins at 0.
    package static let perhaps = CountRange(openFrom: 0)

    /// What an end must be, to complete "must be …".
    package static let rule = "an integer from 0 to \(limit)"

    /// The range; nil if an end is out of range, or if it ends before it begins.
    package init?(from: Int64, to: Int64?) {
        guard (0...Self.limit).contains(from), to.map({ (from...Self.limit).contains($0) }) ?? true else { return nil }
        self.from = from
        self.to = to
    }

    private init(openFrom from: Int64) {
        self.from = from
        to = nil
    }

    /// Whether the range is one number.
    package var isExact: Bool { from == to }
}

/// How many hours after the install the user was last active: from `low` to `high`.
///
/// Source: Google Ads API, `min_time_post_install_hours`, `max_time_post_install_hours`.
package struct HourRange: Sendable, Hashable {
    /// The lower end in hours, 0 or more.
    package let low: Int64
    /// The upper end in hours, not below the lower one.
    package let high: Int64

    /// The greatest hour: 64 days, which is as long as an app can keep the timer of SKAdNetwork 3.0 running.
    package static let limit: Int64 = 1_536

    /// The range; nil if an end is out of range, or if it ends before it begins.
    package init?(low: Int64, high: Int64) {
        guard (0...Self.limit).contains(low), (low...Self.limit).contains(high) else { return nil }
        self.low = low
        self.high = high
    }

    /// The hours of a day since the install; nil if the day is not in 0…63.
    package init?(day: Int64) {
        guard (0..<Self.limit / 24).contains(day) else { return nil }
        self.init(low: 24 * day, high: 24 * (day + 1))
    }
}
