import AdAttribution
import Money
import StrictJSON

extension ConversionScheme {
    /// The canonical file: sorted, without anything needless, the same for equal schemes.
    package var file: [UInt8] {
        var members: [(name: String, value: JSONDocument)] = [
            ("app-id", .integer(appID.value)), ("name", .string(name.text)),
            ("valid-from", .string(validity.from.text)),
            ("valid-to", validity.to.map { .string($0.text) } ?? .null),
        ]
        if let currency { members.append(("currency", .string(currency.text))) }
        if let measurementWindowHours { members.append(("measurement-window-hours", .integer(measurementWindowHours))) }
        if !fine.isEmpty { members.append(("fine", .array(fine.map(\.document)))) }
        if !bits.isEmpty { members.append(("bits", .array(bits.map(\.document)))) }
        let windows = windows.enumerated().filter { !$1.isEmpty }
        if !windows.isEmpty { members.append(("windows", .array(windows.map { $1.document(index: $0) }))) }
        return JSONDocument.object(members).text()
    }
}

extension ConversionScheme.FineRange {
    fileprivate var document: JSONDocument {
        let value: JSONDocument =
            values.count == 1 ? .integer(Int64(values.lowerBound)) : .string(values.shown)
        return .object([("value", value)] + meaning.members)
    }
}

extension Meaning {
    fileprivate var members: [(name: String, value: JSONDocument)] {
        let hours: [(String, JSONDocument)] =
            hours.map { [("hours", .array([.integer($0.low), .integer($0.high)]))] } ?? []
        return hours + [(rule == .all ? "events" : "any-of", .array(events.map(\.document)))]
    }
}

extension MappedEvent {
    fileprivate var document: JSONDocument {
        var members: [(name: String, value: JSONDocument)] = [("name", .string(name.text))]
        if let revenue { members.append(("revenue", revenue.document)) }
        if count != .atLeastOnce {
            let to: [(String, JSONDocument)] = count.to.map { [("to", .integer($0))] } ?? []
            members.append(("count", .object([("from", .integer(count.from))] + to)))
        }
        return .object(members)
    }
}

extension RevenueRange {
    fileprivate var document: JSONDocument {
        if isUnknown { return .string(Self.unknownText) }
        let to: [(String, JSONDocument)] = to.map { [("to", .number($0.text))] } ?? []
        return .object([("from", .number(from.text))] + to)
    }
}

extension BitField {
    fileprivate var document: JSONDocument {
        let bits: JSONDocument =
            bits.count == 1
            ? .integer(Int64(bits.lowerBound)) : .string("\(bits.lowerBound)-\(bits.upperBound)")
        var members: [(name: String, value: JSONDocument)] = [("bits", bits)]
        switch kind {
        case .revenue(let event, let buckets):
            members.append(("kind", .string("revenue")))
            if event.text != Self.revenueEvent { members.append(("event", .string(event.text))) }
            members.append(("buckets", .array(buckets.map { .number($0.text) })))
        case .day: members.append(("kind", .string("day")))
        case .event(let names):
            members.append(("kind", .string("event")))
            members.append(("events", .array(names.map { .string($0.text) })))
        }
        return .object(members)
    }
}

extension SchemeWindow {
    fileprivate func document(index: Int) -> JSONDocument {
        var members: [(name: String, value: JSONDocument)] = [("index", .integer(Int64(index)))]
        let coarse = CoarseConversionValue.ascending.compactMap { value in
            self.coarse[value].map { (name: value.rawValue, value: JSONDocument.object($0.members)) }
        }
        if !coarse.isEmpty { members.append(("coarse", .object(coarse))) }
        let locks = locks.map(\.document)
        if let first = locks.first { members.append(("lock", locks.count == 1 ? first : .array(locks))) }
        return .object(members)
    }
}

extension LockTrigger {
    fileprivate var document: JSONDocument {
        switch self {
        case .event(let name): .object([("event", .string(name.text))])
        case .coarse(let value): .object([("coarse", .string(value.rawValue))])
        case .fine(let value): .object([("fine", .integer(Int64(value.value)))])
        }
    }
}
