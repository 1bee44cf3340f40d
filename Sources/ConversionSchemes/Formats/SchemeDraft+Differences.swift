import AdAttribution
import Money

extension SchemeDraft {
    /// What differs from a scheme in this draft, which was read back from its export.
    func differences(from scheme: ConversionScheme) -> [SchemeNote] {
        var notes: [SchemeNote] = []
        var read: [UInt8: Meaning] = [:]
        for entry in fine {
            for value in entry.values { read[value] = entry.meaning }
        }
        var written: [UInt8: Meaning] = [:]
        for (value, meaning) in scheme.fineMeanings { written[value] = meaning }
        for value in Set(read.keys).union(written.keys).sorted() {
            notes += Self.note("fine \(value)", written[value], read[value])
        }
        for window in windows.indices {
            for value in CoarseConversionValue.ascending {
                notes += Self.note(
                    "window \(window) \(value.rawValue)", scheme.windows[window].coarse[value],
                    windows[window].coarse[value])
            }
            notes += Self.locks(window, scheme.windows[window].locks, windows[window].locks)
        }
        return notes
    }

    private static func note(_ place: String, _ written: Meaning?, _ read: Meaning?) -> [SchemeNote] {
        guard written != read else { return [] }
        guard let written else {
            return [SchemeNote(place: place, text: "is not in the scheme, but the format gives it a meaning")]
        }
        guard let read else {
            return [SchemeNote(place: place, text: "left out: the format can't say its meaning")]
        }
        var texts: [String] = []
        if written.rule != read.rule {
            texts.append(
                written.rule == .all
                    ? "the format says that any of the events is enough"
                    : "the format says that all of the events must happen")
        }
        let events = Dictionary(read.events.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for event in written.events {
            let name = event.name.quoted
            guard let other = events[event.name] else {
                texts.append("the event \(name) is left out")
                continue
            }
            if event.revenue != other.revenue {
                texts.append("revenue of \(name), \(event.revenue.shown), becomes \(other.revenue.shown)")
            }
            if event.count != other.count {
                texts.append("count of \(name), \(event.count.shown), becomes \(other.count.shown)")
            }
        }
        for event in read.events where !written.events.contains(where: { $0.name == event.name }) {
            texts.append("the event \(event.name.quoted) is added")
        }
        if written.hours != read.hours {
            texts.append("hours, \(written.hours.shown), become \(read.hours.shown)")
        }
        return texts.map { SchemeNote(place: place, text: $0) }
    }

    private static func locks(_ window: Int, _ written: [LockTrigger], _ read: [LockTrigger]) -> [SchemeNote] {
        written.filter { !read.contains($0) }.map {
            SchemeNote(place: "window \(window) lock", text: "left out: \($0.shown)")
        }
            + read.filter { !written.contains($0) }.map {
                SchemeNote(place: "window \(window) lock", text: "added: \($0.shown)")
            }
    }
}

extension RevenueRange {
    /// The range in words.
    var shown: String {
        if isUnknown { return "unknown" }
        if isExact { return "exactly \(from.text)" }
        return to.map { "\(from.text) to \($0.text)" } ?? "\(from.text) or more"
    }
}

extension CountRange {
    /// The range in words.
    var shown: String {
        if isExact { return "exactly \(from)" }
        return to.map { "\(from) to \($0)" } ?? "\(from) or more"
    }
}

extension RevenueRange? {
    fileprivate var shown: String { self?.shown ?? "none" }
}

extension HourRange? {
    fileprivate var shown: String { map { "\($0.low) to \($0.high)" } ?? "none" }
}

extension LockTrigger {
    /// The trigger in words.
    var shown: String {
        switch self {
        case .event(let name): "the event \(name.quoted)"
        case .coarse(let value): "the coarse value \(value.rawValue)"
        case .fine(let value): "the fine value \(value.value)"
        }
    }
}
