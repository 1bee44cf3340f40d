import AdAttribution
import Money
import StrictJSON

/// The answer of Branch's Conversion Value Mapping Partner API.
///
/// Several conversion events of one value are alternatives: each of them alone gives the value. Source: Branch,
/// "Conversion Value Mapping Partner API Spec".
enum BranchFormat {
    private static func key(_ window: Int) -> String { "postback-sequence-index-\(window)" }

    static func read(_ root: inout DocumentObject, _ builder: inout SchemeBuilder) {
        builder.appID = root.value("app-id")?.looseInteger(0...Int64.max).flatMap { AppID($0) }
        guard var mapping = root.required("mapping")?.object() else { return }
        for window in 0...2 {
            for node in mapping.value(key(window))?.array() ?? [] { readValue(node, window, &builder) }
        }
        mapping.noteOthers(SchemeNote.leftOut)
    }

    private static func readValue(_ node: DocumentNode, _ window: Int, _ builder: inout SchemeBuilder) {
        guard var reader = node.object(), let value = reader.required("conversion-value") else { return }
        let conditions = reader.required("conversion-event")?.array() ?? []
        reader.noteOthers(SchemeNote.leftOut)
        guard let slot = slot(value, window) else { return }
        var locked = 0
        for condition in conditions {
            guard var reader = condition.object() else { continue }
            let event = reader.required("values").flatMap(event)
            if reader.value("locked")?.boolean() == true { locked += 1 }
            reader.noteOthers(SchemeNote.leftOut)
            guard let event, let meaning = Meaning([event]) else { continue }
            builder.add(slot, meaning, condition.place)
        }
        if conditions.isEmpty { builder.add(slot, .nothing, node.place) }
        guard locked > 0 else { return }
        guard locked == conditions.count else {
            node.findings.note(node.place, "left out: a lock by some events of the value only")
            return
        }
        switch slot {
        case .fine(let value): builder.lock(window, .fine(value), node.place)
        case .coarse(_, let value): builder.lock(window, .coarse(value), node.place)
        }
    }

    /// A fine value is a text, such as `"7"`.
    private static func slot(_ node: DocumentNode, _ window: Int) -> SchemeBuilder.Slot? {
        if case .string(let text) = node.json.value, let coarse = CoarseConversionValue(rawValue: text) {
            return .coarse(window, coarse)
        }
        guard window == 0 else {
            node.refuse(CoarseConversionValue.rule)
            return nil
        }
        return node.looseInteger(0...63).flatMap { ConversionValue($0) }.map { .fine($0) }
    }

    /// `{ "name": ["eq", "purchase"], "event_data.revenue": ["between", 0, 100] }`.
    private static func event(_ node: DocumentNode) -> MappedEvent? {
        guard var reader = node.object() else { return nil }
        let name = reader.required("name").flatMap { node -> EventName? in
            guard let parts = node.array() else { return nil }
            guard parts.count == 2, case .string("eq") = parts[0].json.value else {
                node.refuse("[\"eq\", and the name of an event]")
                return nil
            }
            return parts[1].eventName()
        }
        let condition = reader.value("event_data.revenue")
        let stated = condition.flatMap(revenue)
        reader.noteOthers(SchemeNote.leftOut)
        return name.map { name in
            // A condition that can't be said leaves the revenue unknown.
            MappedEvent(name: name, revenue: stated ?? (condition == nil ? name.revenueWithoutAmount : .unknown))
        }
    }

    private static func revenue(_ node: DocumentNode) -> RevenueRange? {
        guard let parts = node.array() else { return nil }
        guard parts.count == 3, case .string("between") = parts[0].json.value else {
            node.findings.note(node.place, "left out: a condition that is not \"between\"")
            return nil
        }
        guard let from = parts[1].looseRevenue(), let to = parts[2].looseRevenue() else { return nil }
        let range = RevenueRange(from: from, to: to)
        if range == nil { node.refuse("a range whose end is not below its beginning") }
        return range
    }

    /// The mapping with the members of the specification.
    static func document(_ scheme: ConversionScheme) -> JSONDocument {
        let windows = scheme.windows.enumerated().compactMap { index, window -> (name: String, value: JSONDocument)? in
            let fine = index == 0 ? scheme.fineMeanings : []
            let values =
                fine.compactMap { value, meaning in
                    ConversionValue(Int64(value)).flatMap {
                        rule(String(value), meaning, window.locks.contains(.fine($0)))
                    }
                }
                + CoarseConversionValue.ascending.compactMap { value in
                    window.coarse[value].flatMap {
                        rule(value.rawValue, $0, window.locks.contains(.coarse(value)))
                    }
                }
            return values.isEmpty ? nil : (key(index), .array(values))
        }
        return .object([("app-id", .integer(scheme.appID.value)), ("mapping", .object(windows))])
    }

    /// A value; nil if several events must all happen, which the format can't say.
    private static func rule(_ value: String, _ meaning: Meaning, _ locked: Bool) -> JSONDocument? {
        guard meaning.rule == .any || meaning.events.count < 2 else { return nil }
        let conditions = meaning.events.map { event in
            var values: [(name: String, value: JSONDocument)] = [
                ("name", .array([.string("eq"), .string(event.name.text)]))
            ]
            if let revenue = event.revenue, let to = revenue.to {
                values.append(
                    ("event_data.revenue", .array([.string("between"), .number(revenue.from.text), .number(to.text)])))
            }
            return JSONDocument.object([("values", .object(values)), ("locked", .boolean(locked))])
        }
        return .object([("conversion-value", .string(value)), ("conversion-event", .array(conditions))])
    }
}
