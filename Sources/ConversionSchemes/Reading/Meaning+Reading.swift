import Money
import StrictJSON

extension Meaning {
    /// Reads `events` or `any-of`, and `hours`; nil if something is wrong with them.
    init?(_ reader: inout DocumentObject) {
        let errors = reader.findings.problems.count
        let all = reader.member("events")
        let any = reader.member("any-of")
        let hours = reader.member("hours").flatMap(Self.hours)
        guard let list = all ?? any, all == nil || any == nil else {
            reader.findings.refuse(reader.place, "must have one of the members events and any-of")
            return nil
        }
        guard let events = list.array()?.compactMap(MappedEvent.init), reader.findings.problems.count == errors else {
            return nil
        }
        if all == nil, events.isEmpty {
            list.refuse("an array with at least one event")
            return nil
        }
        guard let meaning = Meaning(events, rule: all == nil ? .any : .all, hours: hours) else {
            reader.findings.refuse(list.place, "has an event that stands in it twice")
            return nil
        }
        self = meaning
    }

    /// `[0, 24]`.
    private static func hours(_ node: DocumentNode) -> HourRange? {
        let rule = "two hours from 0 to \(HourRange.limit), the lower one first"
        guard let ends = node.array() else { return nil }
        let hours = ends.compactMap { node -> Int64? in
            if case LocatedJSON.Value.integer(let hour) = node.json.value { hour } else { nil }
        }
        guard ends.count == 2, hours.count == 2, let range = HourRange(low: hours[0], high: hours[1]) else {
            node.refuse(rule)
            return nil
        }
        return range
    }
}

extension MappedEvent {
    /// Reads an event; nil if something is wrong with it.
    fileprivate init?(_ node: DocumentNode) {
        guard var reader = node.object() else { return nil }
        let name = reader.required("name")?.text(EventName.rule, EventName.init)
        let revenue = reader.member("revenue").flatMap(RevenueRange.init)
        let count = reader.member("count").flatMap(CountRange.init)
        reader.refuseOthers()
        guard let name else { return nil }
        self.init(name: name, revenue: revenue, count: count ?? .atLeastOnce)
    }
}

extension RevenueRange {
    /// What a file says of revenue that nobody knows.
    static let unknownText = "unknown"

    private static let textRule = "a range of amounts, or \"\(unknownText)\""

    /// Reads `{ "from": 0.99, "to": 4.99 }`, or `"unknown"`.
    fileprivate init?(_ node: DocumentNode) {
        if case .string = node.json.value {
            guard let range = node.text(Self.textRule, { $0 == Self.unknownText ? Self.unknown : nil }) else {
                return nil
            }
            self = range
            return
        }
        guard var reader = node.object() else { return nil }
        let from = reader.required("from")?.revenue()
        let end = reader.value("to")
        let to = end?.revenue()
        reader.refuseOthers()
        guard let from, to != nil || end == nil else { return nil }
        guard let range = RevenueRange(from: from, to: to) else {
            node.findings.refuse(
                node.place, "from must not be greater than to", value: "\(from.text) to \(to?.text ?? "")")
            return nil
        }
        self = range
    }
}

extension CountRange {
    /// Reads `{ "from": 1, "to": 3 }`.
    fileprivate init?(_ node: DocumentNode) {
        guard var reader = node.object() else { return nil }
        let read: (Int64) -> Int64? = { CountRange(from: $0, to: nil)?.from }
        let from = reader.required("from")?.integer(CountRange.rule, read)
        let end = reader.value("to")
        let to = end?.integer(CountRange.rule, read)
        reader.refuseOthers()
        guard let from, to != nil || end == nil else { return nil }
        guard let range = CountRange(from: from, to: to) else {
            node.findings.refuse(node.place, "from must not be greater than to", value: "\(from) to \(to ?? 0)")
            return nil
        }
        self = range
    }
}
