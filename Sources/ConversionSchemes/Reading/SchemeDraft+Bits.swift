import StrictJSON

extension SchemeDraft {
    /// Reads an entry of `bits`; nil if something is wrong with it.
    static func bitEntry(_ node: DocumentNode) -> BitEntry? {
        guard var reader = node.object() else { return nil }
        let bits = reader.required("bits").flatMap { node -> ClosedRange<Int>? in
            if case LocatedJSON.Value.integer = node.json.value {
                return node.integer(BitField.rule) { (0...5).contains($0) ? Int($0)...Int($0) : nil }
            }
            return node.text(BitField.rule) { NumberRange.read($0, within: 0...5) }
        }
        let kind = reader.required("kind")?.text("revenue, day or event") { BitKind(rawValue: $0) }
        let field: BitField?
        switch kind {
        case .revenue: field = bits.flatMap { revenue($0, &reader) }
        case .day: field = bits.flatMap { BitField(bits: $0, kind: .day) }
        case .event: field = bits.flatMap { events($0, &reader) }
        case nil: return nil
        }
        reader.refuseOthers()
        return field.map { BitEntry(field: $0, place: node.place) }
    }

    private enum BitKind: String {
        case revenue, day, event
    }

    private static func revenue(_ bits: ClosedRange<Int>, _ reader: inout DocumentObject) -> BitField? {
        let event: EventName?
        if let node = reader.member("event") {
            event = node.text(EventName.rule, EventName.init)
        } else {
            event = EventName(BitField.revenueEvent)
        }
        guard let node = reader.required("buckets"), let elements = node.array() else { return nil }
        let buckets = elements.compactMap { $0.revenue() }
        guard let event, buckets.count == elements.count else { return nil }
        let field = BitField(bits: bits, kind: .revenue(event: event, buckets: buckets))
        if field == nil { node.refuse("1 to \(1 << bits.count) amounts that rise") }
        return field
    }

    private static func events(_ bits: ClosedRange<Int>, _ reader: inout DocumentObject) -> BitField? {
        guard let node = reader.required("events"), let elements = node.array() else { return nil }
        let names = elements.compactMap { $0.text(EventName.rule, EventName.init) }
        guard names.count == elements.count else { return nil }
        let field = BitField(bits: bits, kind: .event(names))
        if field == nil { node.refuse("a different name for each of the \(bits.count) bits") }
        return field
    }
}
