import AdAttribution
import Money
import StrictJSON

/// The configuration that Meta's iOS SDK fetches from `ios_skadnetwork_conversion_config`.
///
/// Revenue must be more than an amount; an event without amounts fits with any. The SDK does not ask for events behind
/// the first one with an amount: they may have happened or not. The rule of the highest value that fits wins. Windows count from 1. The cutoff is in days. Source: facebook-ios-sdk,
/// FBSDKSKAdNetworkConversionConfiguration.m, FBSDKSKAdNetworkRule.m, FBSDKSKAdNetworkCoarseCVRule.m,
/// FBSDKSKAdNetworkReporterV2.m.
enum MetaFormat {
    static func read(_ root: inout DocumentObject, _ builder: inout SchemeBuilder) {
        guard let data = root.required("data")?.array() else { return }
        guard let first = data.first, var reader = first.object() else {
            root.findings.refuse(root.place, "data has no configuration")
            return
        }
        for node in data.dropFirst() { node.findings.note(node.place, "left out: the SDK reads the first one only") }
        builder.hasPriority = true
        builder.currency = reader.value("default_currency").flatMap(currency)
        builder.measurementWindowHours = reader.value("cutoff_time")?.looseInteger(0...HourRange.limit / 24)
            .flatMap { $0 > 0 ? 24 * $0 : nil }
        readFine(reader.required("conversion_value_rules"), &builder)
        for node in reader.value("coarse_cv_configs")?.array() ?? [] { readCoarse(node, &builder) }
        for node in reader.value("lock_window_rules")?.array() ?? [] { readLock(node, &builder) }
        if let node = reader.value("is_coarse_cv_accumulative"), node.boolean() == true {
            node.findings.note(node.place, "left out: a scheme does not say that coarse values add up over windows")
        }
        reader.noteOthers(SchemeNote.leftOut)
    }

    private static func readFine(_ rules: DocumentNode?, _ builder: inout SchemeBuilder) {
        var found: [(value: ConversionValue, meaning: Meaning, place: DocumentPlace)] = []
        for node in rules?.array() ?? [] {
            guard var reader = node.object() else { continue }
            let value = reader.required("conversion_value")?.looseInteger(0...63).flatMap { ConversionValue($0) }
            let meaning = meaning(reader.required("events"), builder)
            // The SDK goes by the value and does not read a priority.
            if let node = reader.value("priority") {
                node.findings.note(node.place, "left out: the highest value wins")
            }
            reader.noteOthers(SchemeNote.leftOut)
            if let value, let meaning { found.append((value, meaning, node.place)) }
        }
        for (value, meaning, place) in found.sorted(by: { $0.value > $1.value }) {
            builder.add(.fine(value), meaning, place)
        }
    }

    private static func readCoarse(_ node: DocumentNode, _ builder: inout SchemeBuilder) {
        guard var reader = node.object(), let window = window(&reader) else { return }
        var found: [(value: CoarseConversionValue, meaning: Meaning, place: DocumentPlace)] = []
        for node in reader.required("coarse_cv_rules")?.array() ?? [] {
            guard var rule = node.object() else { continue }
            let meaning = meaning(rule.required("events"), builder)
            guard let value = rule.required("coarse_cv_value") else { continue }
            if case .string("none") = value.json.value {
                node.findings.note(node.place, "left out: none is no value that an app can set")
                continue
            }
            let coarse = value.text(CoarseConversionValue.rule) { CoarseConversionValue(rawValue: $0) }
            rule.noteOthers(SchemeNote.leftOut)
            if let coarse, let meaning { found.append((coarse, meaning, node.place)) }
        }
        reader.noteOthers(SchemeNote.leftOut)
        for (value, meaning, place) in found.sorted(by: { $0.value > $1.value }) {
            builder.add(.coarse(window, value), meaning, place)
        }
    }

    private static func readLock(_ node: DocumentNode, _ builder: inout SchemeBuilder) {
        guard var reader = node.object(), let window = window(&reader) else { return }
        let types = ["time", "event"]
        let type = reader.required("lock_window_type")?.text("time or event") { types.contains($0) ? $0 : nil }
        if type == "time" {
            let hours = reader.required("time")?.looseInteger(0...Int64.max)
            node.findings.note(node.place, "left out: a lock after \(hours ?? 0) hours, which a scheme can't say")
        } else if type == "event", let list = reader.required("events"), let events = meaning(list, builder)?.events {
            if events.count == 1, let event = events.first, list.array()?.contains(where: hasAmount) == false {
                builder.lock(window, .event(event.name), node.place)
            } else {
                node.findings.note(
                    node.place, "left out: a lock by several events, or by an amount, which a scheme can't say")
            }
        }
        reader.noteOthers(SchemeNote.leftOut)
    }

    /// Whether an event has an amount, in any currency.
    private static func hasAmount(_ event: DocumentNode) -> Bool {
        guard case .object(let members) = event.json.value else { return false }
        return members.contains { name, value in
            if case .array(let amounts) = value.value { name == "values" && !amounts.isEmpty } else { false }
        }
    }

    /// The window, which counts from 1 here.
    private static func window(_ reader: inout DocumentObject) -> Int? {
        reader.required("postback_sequence_index")?.looseInteger(1...3).map { Int($0) - 1 }
    }

    /// A code in any letter case, as the SDK accepts it.
    private static func currency(_ node: DocumentNode) -> CurrencyCode? {
        node.text(CurrencyCode.rule) { CurrencyCode($0.uppercased()) }
    }

    /// Events that must all have happened, but for those behind the first one with an amount.
    private static func meaning(_ node: DocumentNode?, _ builder: SchemeBuilder) -> Meaning? {
        guard let node, let list = node.array() else { return nil }
        let last = list.firstIndex(where: hasAmount) ?? list.endIndex
        let events = list.indices.compactMap { event(list[$0], builder, isAsked: $0 <= last) }
        guard events.count == list.count else { return nil }
        guard let meaning = Meaning(events) else {
            node.findings.refuse(node.place, "has an event that stands in it twice")
            return nil
        }
        return meaning
    }

    /// - Parameter isAsked: Whether the SDK asks for the event.
    private static func event(_ node: DocumentNode, _ builder: SchemeBuilder, isAsked: Bool) -> MappedEvent? {
        guard var reader = node.object() else { return nil }
        let name = reader.required("event_name")?.eventName()
        let values = reader.value("values")?.array() ?? []
        guard isAsked else {
            node.findings.note(
                node.place,
                "may have happened or not: the SDK does not ask for it, since it stops at the first event with an amount"
            )
            reader.noteOthers(SchemeNote.leftOut)
            return name.map { MappedEvent(name: $0, revenue: $0.revenueWithoutAmount, count: .perhaps) }
        }
        var revenue: RevenueRange?
        for node in values {
            guard var value = node.object() else { continue }
            let code = value.required("currency")
            let amount = value.required("amount")?.looseRevenue()
            value.noteOthers(SchemeNote.leftOut)
            guard let code, case .string(let text) = code.json.value, let amount else {
                code?.refuse(CurrencyCode.rule)
                continue
            }
            guard let currency = CurrencyCode(text.uppercased()), currency == builder.chosenCurrency, revenue == nil
            else {
                node.findings.note(
                    node.place,
                    "left out: an amount in \(JSONText.shown(text)); that of the scheme is "
                        + "\(builder.chosenCurrency?.text ?? "not known")")
                continue
            }
            revenue = RevenueRange(from: amount, to: nil)
        }
        reader.noteOthers(SchemeNote.leftOut)
        return name.map { name in
            // Amounts in other currencies leave it unknown.
            MappedEvent(name: name, revenue: revenue ?? (values.isEmpty ? name.revenueWithoutAmount : .unknown))
        }
    }
}
