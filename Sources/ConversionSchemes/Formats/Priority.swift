import Money

/// What thresholds mean if the first value that fits wins: a range ends where that of a value before it begins.
enum Priority {
    /// Ends the ranges of meanings at the ranges of those before them.
    static func apply(_ meanings: inout [(slot: SchemeBuilder.Slot, meaning: Meaning, place: Place)]) {
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
    /// It changes only if the two differ in one range of one event, which begins later in the other one.
    fileprivate func ended(by other: Meaning) -> Meaning {
        guard rule == other.rule, hours == other.hours, events.map(\.name) == other.events.map(\.name) else {
            return self
        }
        let different = events.indices.filter { events[$0] != other.events[$0] }
        guard different.count == 1, let index = different.first else { return self }
        var changed = events
        changed[index] = events[index].ended(by: other.events[index])
        return Meaning(changed, rule: rule, hours: hours) ?? self
    }
}

extension MappedEvent {
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
