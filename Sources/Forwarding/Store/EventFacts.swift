import AdAttribution
import Destinations
import EventLog
import PostbackStore
import PostgresClient

/// What else is known of the events of a page: the operator's names of their campaigns, and what their values mean.
///
/// Many events have the same facts, so each is looked up once.
struct EventFacts: Sendable {
    /// What decides the facts of an event.
    private struct Key: Hashable {
        let numbers: EventNumbers
        /// All moments of a quarter of an hour have the same answer (`attribution.answer`), and belong to one day.
        let quarter: Int64
        let sequenceIndex: Int16
        let didWin: Bool
        let value: Int16

        init(_ record: EventRecord) {
            let (quotient, remainder) = record.receivedAt.microsecondsSince2000.quotientAndRemainder(
                dividingBy: 900_000_000)
            numbers = record.numbers
            quarter = remainder < 0 ? quotient - 1 : quotient
            sequenceIndex = Int16(record.event.sequenceIndex.value)
            didWin = record.event.didWin
            value = StoredValue.number(record.event.kind.counted)
        }
    }

    private var facts: [Key: (names: EventNames?, meaning: EventMeaning)] = [:]

    /// Looks up the facts of events, in one statement.
    init(of records: [EventRecord], over connection: isolated PostgresConnection) throws {
        let keys = Array(Dictionary(grouping: records, by: Key.init).compactMapValues(\.first))
        guard !keys.isEmpty else { return }
        var bindings = PostgresBindings()
        bindings.append(keys.map(\.key.numbers.line))
        bindings.append(keys.map(\.key.numbers.source))
        bindings.append(keys.map(\.key.numbers.traits))
        bindings.append(keys.map(\.value.receivedAt))
        bindings.append(keys.map(\.key.sequenceIndex))
        bindings.append(keys.map(\.key.didWin))
        bindings.append(keys.map(\.key.value))
        for row in try connection.query(EventFactStatements.facts, bindings) {
            var columns = ColumnCursor(row)
            let index = Int(try columns.next(Int64.self)) - 1
            guard keys.indices.contains(index) else { continue }
            facts[keys[index].key] = (try EventNames?(&columns), try EventMeaning(&columns))
        }
    }

    /// The names of an event's campaign; nil if the operator has none.
    func names(of record: EventRecord) -> EventNames? { facts[Key(record)]?.names }

    /// What its value means.
    func meaning(of record: EventRecord) -> EventMeaning? { facts[Key(record)]?.meaning }
}

extension EventNames? {
    /// Reads whether there is a row of `campaign_mapping`, and its names.
    fileprivate init(_ columns: inout ColumnCursor) throws {
        let isNamed: Bool = try columns.next()
        let names = try EventNames(
            campaignID: columns.next(), campaignName: columns.next(), adsetID: columns.next(),
            adsetName: columns.next(), adID: columns.next(), adName: columns.next(), networkName: columns.next())
        self = isNamed ? names : nil
    }
}

extension EventMeaning {
    /// Reads events, revenue, currency, and the lowest and the highest tier.
    fileprivate init(_ columns: inout ColumnCursor) throws {
        let events: String? = try columns.next()
        let (low, high): (String?, String?) = try (columns.next(), columns.next())
        let currency: String? = try columns.next()
        let (lowest, highest): (Int16?, Int16?) = try (columns.next(), columns.next())
        let tier: String? =
            if let lowest, let highest { lowest == highest ? "\(lowest)" : "\(lowest)-\(highest)" } else { nil }
        // A value that means that nothing has happened has no event. Without a meaning there is no revenue, either.
        self.init(
            event: events.flatMap { $0.isEmpty ? nil : $0 }, revenueLow: low, revenueHigh: high,
            currency: low == nil ? nil : currency, tier: tier)
    }
}
