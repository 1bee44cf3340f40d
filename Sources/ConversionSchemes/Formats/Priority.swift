import Money
import StrictJSON

/// What thresholds mean if the first value that fits wins: a range ends where that of a value before it begins.
enum Priority {
    /// Ends the ranges of meanings at the ranges of those before them.
    static func apply(_ meanings: inout [(slot: SchemeBuilder.Slot, meaning: Meaning, place: DocumentPlace)]) {
        for index in meanings.indices {
            for other in meanings[..<index] where other.slot.isBeside(meanings[index].slot) {
                meanings[index].meaning = meanings[index].meaning.ended(by: other.meaning)
            }
        }
    }
}

extension SchemeBuilder.Slot {
    /// Whether both are fine values, or coarse values of one window.
    fileprivate func isBeside(_ other: SchemeBuilder.Slot) -> Bool {
        switch (self, other) {
        case (.fine, .fine): true
        case (.coarse(let window, _), .coarse(let other, _)): window == other
        default: false
        }
    }
}

extension Meaning {
    /// The meaning for users whom a value of higher priority does not fit.
    ///
    /// It changes only if the other one asks for more in one range of one event, which begins later there.
    fileprivate func ended(by other: Meaning) -> Meaning {
        let names = events.map(\.name)
        // An event of which nothing is asked is no condition.
        let others = other.events.filter { rule == .any || !$0.isFree || names.contains($0.name) }
        guard rule == other.rule, hours == other.hours, names == others.map(\.name) else { return self }
        let different = events.indices.filter { !others[$0].covers(events[$0]) }
        guard different.count == 1, let index = different.first else { return self }
        var changed = events
        changed[index] = events[index].ended(by: others[index])
        return Meaning(changed, rule: rule, hours: hours) ?? self
    }
}

extension MappedEvent {
    /// Whether nothing is asked of it, not even that it has happened.
    fileprivate var isFree: Bool { count == .perhaps && statedRevenue == nil }

    /// Whether it holds whenever another one of the same name does, as far as the number of times goes.
    fileprivate func covers(_ other: MappedEvent) -> Bool {
        revenue == other.revenue && count.from <= other.count.from
            && (count.to.map { to in other.count.to.map { $0 <= to } ?? false } ?? true)
    }

    fileprivate func ended(by other: MappedEvent) -> MappedEvent {
        if count == other.count, let revenue, let limit = other.revenue?.from, revenue.from < limit,
            revenue.to.map({ $0 > limit }) ?? true
        {
            return MappedEvent(name: name, revenue: RevenueRange(from: revenue.from, to: limit), count: count)
        }
        if revenue == other.revenue, count.from < other.count.from,
            count.to.map({ $0 >= other.count.from }) ?? true,
            let range = CountRange(from: count.from, to: other.count.from - 1)
        {
            return MappedEvent(name: name, revenue: revenue, count: range)
        }
        return self
    }
}
