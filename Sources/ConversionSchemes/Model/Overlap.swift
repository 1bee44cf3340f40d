import Money

/// Two ranges of one event that overlap.
struct Overlap {
    let event: EventName
    /// `revenue` or `count`.
    let kind: String
}

extension Meaning {
    /// Where two different meanings overlap, so that one user would fit both; nil if something tells them apart.
    ///
    /// Meanings are told apart by their events, by their hours, or by a range of an event. Equal meanings do not
    /// overlap: they are one meaning with two values.
    func overlap(_ other: Meaning) -> Overlap? {
        guard self != other, rule == other.rule, events.map(\.name) == other.events.map(\.name) else { return nil }
        if let hours, let others = other.hours, hours != others, !hours.overlaps(others) { return nil }
        var found: Overlap?
        for (event, other) in zip(events, other.events) {
            switch (event.revenue, other.revenue) {
            // Nobody knows whether an unknown revenue is in a range.
            case (let range?, let others?) where range.isUnknown != others.isUnknown: return nil
            case (let range?, let others?):
                guard range.overlaps(others) else { return nil }
                if range != others { found = found ?? Overlap(event: event.name, kind: "revenue") }
            case (nil, nil): break
            // With and without revenue are two meanings.
            default: return nil
            }
            guard event.count.overlaps(other.count) else { return nil }
            if event.count != other.count { found = found ?? Overlap(event: event.name, kind: "count") }
        }
        return found
    }
}

extension RevenueRange {
    /// Whether more than one amount, or one exact amount of both, is in both ranges.
    fileprivate func overlaps(_ other: RevenueRange) -> Bool {
        if self == other { return true }
        return (to.map { other.from < $0 } ?? true) && (other.to.map { from < $0 } ?? true)
    }
}

extension CountRange {
    /// Whether a number is in both ranges.
    ///
    /// Numbers are whole, so ranges that touch in one end overlap.
    fileprivate func overlaps(_ other: CountRange) -> Bool {
        (to.map { other.from <= $0 } ?? true) && (other.to.map { from <= $0 } ?? true)
    }
}

extension HourRange {
    /// Whether more than the end of one range is in both.
    fileprivate func overlaps(_ other: HourRange) -> Bool {
        self == other || (other.low < high && low < other.high)
    }
}
