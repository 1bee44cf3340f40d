import Money
import StrictJSON

/// Reads the meanings of a schema whose currency is known.
struct GoogleAdsFields {
    /// The currency of the first event that names one.
    let currency: CurrencyCode?
    private let chosen: CurrencyCode?

    init(builder: SchemeBuilder, nodes: [DocumentNode]) {
        currency = nodes.lazy.compactMap { Self.firstCurrency($0.json) }.first
        chosen = builder.options.currency ?? currency
    }

    private static func firstCurrency(_ json: LocatedJSON) -> CurrencyCode? {
        switch json.value {
        case .object(let members):
            for (name, value) in members {
                if ["currencyCode", "currency_code"].contains(name), case .string(let text) = value.value,
                    let code = CurrencyCode(text)
                {
                    return code
                }
                if let code = firstCurrency(value) { return code }
            }
            return nil
        case .array(let elements): return elements.lazy.compactMap(firstCurrency).first
        default: return nil
        }
    }

    /// `ConversionValueMapping`; without it, nothing has happened.
    func mapping(_ node: DocumentNode?) -> Meaning? {
        guard let node else { return .nothing }
        guard var reader = node.object() else { return nil }
        let low = reader.value("minTimePostInstallHours", "min_time_post_install_hours")
        let high = reader.value("maxTimePostInstallHours", "max_time_post_install_hours")
        let hours = hours(low, high)
        let events = (reader.value("mappedEvents", "mapped_events")?.array() ?? []).compactMap(event)
        reader.noteOthers(SchemeNote.leftOut)
        guard let meaning = Meaning(events, hours: hours) else {
            node.findings.refuse(node.place, "has an event that stands in it twice")
            return nil
        }
        return meaning
    }

    private func hours(_ low: DocumentNode?, _ high: DocumentNode?) -> HourRange? {
        let from = low?.looseInteger(0...HourRange.limit) ?? 0
        guard let high, let to = high.looseInteger(0...HourRange.limit), to > 0 else {
            if from > 0, let low { low.findings.note(low.place, "left out: hours without an upper end") }
            return nil
        }
        let range = HourRange(low: from, high: to)
        if range == nil { high.refuse("\(from) or more") }
        return range
    }

    private func event(_ node: DocumentNode) -> MappedEvent? {
        guard var reader = node.object() else { return nil }
        let name = reader.value("mappedEventName", "mapped_event_name")
        let code = reader.value("currencyCode", "currency_code")
        let range = reader.value("eventRevenueRange", "event_revenue_range")
        let exact = reader.value("eventRevenueValue", "event_revenue_value")
        let occurrences = reader.value("eventOccurrenceRange", "event_occurrence_range")
        let counter = reader.value("eventCounter", "event_counter")
        reader.noteOthers(SchemeNote.leftOut)
        guard let name else {
            node.findings.refuse(node.place, "has no mappedEventName")
            return nil
        }
        var revenue = exact.flatMap { $0.looseRevenue() }.flatMap { RevenueRange(from: $0, to: $0) }
        if let range, revenue == nil { revenue = self.revenue(range) }
        if revenue != nil, let code, isForeign(code) {
            let text = "the event's revenue is unknown: the scheme's currency is \(chosen?.text ?? "")"
            code.findings.note(code.place, text)
            revenue = .unknown
        }
        return name.eventName().map { name in
            MappedEvent(
                name: name, revenue: revenue ?? name.revenueWithoutAmount, count: count(occurrences, counter))
        }
    }

    private func isForeign(_ code: DocumentNode) -> Bool {
        guard case .string(let text) = code.json.value, !text.isEmpty else { return false }
        return text != chosen?.text
    }

    /// Reads `RevenueRange`, in which 0 is unset.
    private func revenue(_ node: DocumentNode) -> RevenueRange? {
        guard var reader = node.object() else { return nil }
        let from = reader.value("minEventRevenue", "min_event_revenue").map { $0.looseRevenue() } ?? .zero
        let to = reader.value("maxEventRevenue", "max_event_revenue")?.looseRevenue()
        reader.noteOthers(SchemeNote.leftOut)
        guard let from else { return nil }
        let range = RevenueRange(from: from, to: to == .zero ? nil : to)
        if range == nil { node.refuse("a range whose end is not below its beginning") }
        return range
    }

    /// `EventOccurrenceRange`, in which 0 is unset too, or a specific number.
    private func count(_ range: DocumentNode?, _ counter: DocumentNode?) -> CountRange {
        if let counter, let number = counter.looseInteger(0...CountRange.limit), number > 0 {
            return CountRange(from: number, to: number) ?? .atLeastOnce
        }
        guard let range, var reader = range.object() else { return .atLeastOnce }
        let from = reader.value("minEventCount", "min_event_count")?.looseInteger(0...CountRange.limit) ?? 0
        let to = reader.value("maxEventCount", "max_event_count")?.looseInteger(0...CountRange.limit) ?? 0
        reader.noteOthers(SchemeNote.leftOut)
        let count = CountRange(from: max(from, 1), to: to == 0 ? nil : to)
        if count == nil { range.refuse("a range whose end is not below its beginning") }
        return count ?? .atLeastOnce
    }
}
