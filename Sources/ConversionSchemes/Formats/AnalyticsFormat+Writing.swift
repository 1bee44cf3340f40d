import AdAttribution
import Money
import StrictJSON

extension AnalyticsFormat {
    /// The schema in camel case, 64-bit integers as texts, the highest value first.
    static func document(_ scheme: ConversionScheme) -> JSONDocument {
        let first = scheme.windows[0]
        let fine = scheme.fineMeanings.reversed().flatMap { value, meaning in
            first.coarseValue(of: meaning).map { coarse in
                meaning.entries.map { events in
                    entry(
                        fine: value, coarse: coarse, events,
                        locked: ConversionValue(Int64(value)).map { first.locks.contains(.fine($0)) } ?? false)
                }
            } ?? []
        }
        var members = [(name: windows[0].camel, value: window(fine))]
        for index in 1...2 {
            let window = scheme.windows[index]
            let entries = CoarseConversionValue.ascending.reversed().flatMap { value in
                (window.coarse[value]?.entries ?? []).map {
                    entry(fine: nil, coarse: value, $0, locked: window.locks.contains(.coarse(value)))
                }
            }
            if !entries.isEmpty { members.append((windows[index].camel, self.window(entries))) }
        }
        return .object(members)
    }

    /// Which fine values are left out since the format needs a coarse value beside each.
    static func notes(_ scheme: ConversionScheme) -> [SchemeNote] {
        scheme.fineMeanings.filter {
            !$0.meaning.entries.isEmpty && scheme.windows[0].coarseValue(of: $0.meaning) == nil
        }
        .map { value, _ in
            SchemeNote(
                place: "fine \(value)",
                text: "ga4 needs a coarse value beside it, and window 0 has none, or more than one, that includes it")
        }
    }

    private static func window(_ entries: [JSONDocument]) -> JSONDocument {
        .object([("conversionValues", .array(entries)), ("postbackWindowSettingsEnabled", .boolean(true))])
    }

    private static func entry(
        fine: UInt8?, coarse: CoarseConversionValue, _ events: [MappedEvent], locked: Bool
    ) -> JSONDocument {
        var members: [(name: String, value: JSONDocument)] = []
        if let fine { members.append(("fineValue", .integer(Int64(fine)))) }
        members.append(("coarseValue", .string("COARSE_VALUE_\(coarse.rawValue.uppercased())")))
        members.append(("eventMappings", .array(events.map(mapping))))
        if locked { members.append(("lockEnabled", .boolean(true))) }
        return .object(members)
    }

    /// At least one of the four ends must be set.
    private static func mapping(_ event: MappedEvent) -> JSONDocument {
        var members: [(name: String, value: JSONDocument)] = [("eventName", .string(event.name.text))]
        let revenue = event.statedRevenue
        if event.count != .atLeastOnce || revenue == nil {
            members.append(("minEventCount", .string(String(event.count.from))))
        }
        if let to = event.count.to { members.append(("maxEventCount", .string(String(to)))) }
        if let revenue {
            members.append(("minEventValue", .number(revenue.from.text)))
            if let to = revenue.to { members.append(("maxEventValue", .number(to.text))) }
        }
        return .object(members)
    }
}

extension Meaning {
    /// The lists of events of the entries that say this; none if the format can't say it.
    ///
    /// An entry has one to three events, whose names have at most 40 UTF-16 code units.
    fileprivate var entries: [[MappedEvent]] {
        alternatives.filter { events in
            (1...3).contains(events.count) && events.allSatisfy { $0.name.text.utf16.count <= 40 }
        }
    }
}

extension SchemeWindow {
    /// The only coarse value whose meaning includes another one; nil if there is none, or more than one.
    fileprivate func coarseValue(of meaning: Meaning) -> CoarseConversionValue? {
        let fitting = CoarseConversionValue.ascending.filter { coarse[$0]?.includes(meaning) ?? false }
        return fitting.count == 1 ? fitting.first : nil
    }
}

extension Meaning {
    /// Whether each event of another meaning is in this one, with ranges that hold those of the other.
    fileprivate func includes(_ other: Meaning) -> Bool {
        !other.events.isEmpty
            && other.events.allSatisfy { event in
                events.contains { $0.name == event.name && $0.includes(event) }
            }
    }
}

extension MappedEvent {
    fileprivate func includes(_ other: MappedEvent) -> Bool {
        guard count.from <= other.count.from, Self.holds(count.to, other.count.to) else { return false }
        guard let revenue, let others = other.revenue else { return revenue == other.revenue }
        return revenue.from <= others.from && Self.holds(revenue.to, others.to)
    }

    /// Whether an upper end is not below another one; nil is no end.
    private static func holds<End: Comparable>(_ end: End?, _ other: End?) -> Bool {
        guard let end else { return true }
        return other.map { $0 <= end } ?? false
    }
}
