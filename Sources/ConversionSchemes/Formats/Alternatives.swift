import Money

/// One meaning for several, of which any may hold.
enum Alternatives {
    /// The narrowest meaning that holds if any of these holds, and what it says less.
    static func union(of meanings: [Meaning]) -> (meaning: Meaning, notes: [String]) {
        var known: Set<Meaning> = []
        let different = meanings.filter { known.insert($0).inserted }
        guard different.count > 1 else { return (different.first ?? .nothing, []) }
        var notes: [String] = []
        if different.contains(where: { $0.rule == .all && $0.events.count > 1 }) {
            notes.append("events that must all happen are one of several conditions; the scheme says any of them")
        }
        if different.contains(where: { $0.events.isEmpty }) {
            notes.append("one of several conditions has no event; the scheme leaves it out")
        }
        var order: [EventName] = []
        var events: [EventName: [MappedEvent]] = [:]
        for event in different.flatMap(\.events) {
            if events[event.name] == nil { order.append(event.name) }
            events[event.name, default: []].append(event)
        }
        let united = order.map { name in
            let union = union(of: events[name] ?? [], name: name)
            notes += union.notes
            return union.event
        }
        let hours = different.compactMap(\.hours)
        let range = hours.count == different.count ? hull(hours) : nil
        if Set(different.map(\.hours)).count > 1 {
            notes.append("conditions with different hours; the scheme takes the range of all of them")
        }
        return (Meaning(united, rule: .any, hours: range) ?? .nothing, notes)
    }

    private static func union(of events: [MappedEvent], name: EventName) -> (event: MappedEvent, notes: [String]) {
        var notes: [String] = []
        let stated = events.compactMap(\.revenue)
        var revenue: RevenueRange?
        if !stated.isEmpty {
            let sorted = stated.sorted { $0.from < $1.from }
            // An event without revenue brings revenue 0. From 0 on without an end is unknown.
            let from = stated.count < events.count ? .zero : sorted[0].from
            revenue = RevenueRange(from: from, to: greatest(stated.map(\.to)))
            if from != sorted[0].from || hasGap(sorted) {
                notes.append("revenue of \(name.quoted): several ranges became \(revenue?.shown ?? "")")
            }
        }
        let low = events.map(\.count.from).min() ?? 1
        let count = CountRange(from: low, to: greatest(events.map(\.count.to))) ?? .atLeastOnce
        let needed = Set(events.map(\.count))
        if needed.count > 1 {
            notes.append("count of \(name.quoted): several ranges became \(count.shown)")
        }
        return (MappedEvent(name: name, revenue: revenue, count: count), notes)
    }

    /// The greatest end; nil if one is open.
    private static func greatest<End: Comparable>(_ ends: [End?]) -> End? {
        let known = ends.compactMap(\.self)
        return known.count == ends.count ? known.max() : nil
    }

    /// Whether amounts lie between the ranges, which are in the order of their lower ends.
    private static func hasGap(_ ranges: [RevenueRange]) -> Bool {
        var end = ranges.first?.to
        for range in ranges.dropFirst() {
            guard let reached = end else { return false }
            if range.from > reached { return true }
            end = range.to.map { max($0, reached) }
        }
        return false
    }

    private static func hull(_ hours: [HourRange]) -> HourRange? {
        guard let low = hours.map(\.low).min(), let high = hours.map(\.high).max() else { return nil }
        return HourRange(low: low, high: high)
    }
}
