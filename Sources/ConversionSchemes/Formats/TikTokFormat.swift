import AdAttribution
import Money
import StrictJSON

/// The configuration that TikTok's iOS SDK fetches.
///
/// All events of a funnel must happen. Revenue from 0 to 0 fits any; else it must be more than the least one. The
/// highest value that fits wins. Source: tiktok-business-ios-sdk, TikTokSKAdNetworkRule.m,
/// TikTokSKAdNetworkRuleEvent.m, TikTokSKAdNetworkWindow.m, TikTokSKAdNetworkSupport.m.
enum TikTokFormat {
    static func read(_ root: inout DocumentObject, _ builder: inout SchemeBuilder) {
        builder.hasPriority = true
        builder.currency = root.value("currency")?.text(CurrencyCode.rule) { CurrencyCode($0) }
        if let given = builder.options.currency, let currency = builder.currency, given != currency {
            builder.findings.refuse(
                root.place, "the currency must be that of the file, \(currency.text)", value: given.text)
        }
        for node in root.required("postbacks")?.array() ?? [] {
            guard var reader = node.object(),
                let window = reader.required("postback_index")?.looseInteger(0...2).map({ Int($0) })
            else { continue }
            let fine = reader.value("fine")
            if let fine, window > 0 {
                if fine.array()?.isEmpty == false {
                    fine.findings.note(fine.place, "left out: window \(window) is coarse only")
                }
            } else {
                let rules = rules(fine) { $0.looseInteger(0...63).flatMap { ConversionValue($0) } }
                for rule in rules { builder.add(.fine(rule.value), rule.meaning, rule.place) }
            }
            let rules = rules(reader.value("coarse")) { node in
                node.text(CoarseConversionValue.rule) { CoarseConversionValue(rawValue: $0) }
            }
            for rule in rules { builder.add(.coarse(window, rule.value), rule.meaning, rule.place) }
            reader.noteOthers(SchemeNote.leftOut)
        }
    }

    /// The rules of a list, the highest value first, as the SDK tries them.
    private static func rules<Value: Comparable>(
        _ list: DocumentNode?, _ value: (DocumentNode) -> Value?
    ) -> [(value: Value, meaning: Meaning, place: DocumentPlace)] {
        let rules = (list?.array() ?? []).compactMap {
            node -> (value: Value, meaning: Meaning, place: DocumentPlace)? in
            guard var reader = node.object() else { return nil }
            let value = reader.required("conversion_value").flatMap(value)
            let funnel = reader.value("event_funnel")
            let events = (funnel?.array() ?? []).compactMap(event)
            reader.noteOthers(SchemeNote.leftOut)
            guard let meaning = Meaning(events) else {
                node.findings.refuse(node.place, "has an event that stands in it twice")
                return nil
            }
            return value.map { ($0, meaning, node.place) }
        }
        return rules.sorted { $0.value > $1.value }
    }

    private static func event(_ node: DocumentNode) -> MappedEvent? {
        guard var reader = node.object() else { return nil }
        let name = reader.required("event_name_report")?.eventName()
        let from = reader.value("revenue_min").map { $0.looseRevenue() } ?? .zero
        let to = reader.value("revenue_max").map { $0.looseRevenue() } ?? .zero
        reader.noteOthers(SchemeNote.leftOut)
        guard let name, let from, let to else { return nil }
        guard from != .zero || to != .zero else { return MappedEvent(name: name, revenue: name.revenueWithoutAmount) }
        let revenue = RevenueRange(from: from, to: to == .zero ? nil : to)
        if revenue == nil { node.refuse("an event whose revenue_max is 0 or not below its revenue_min") }
        return MappedEvent(name: name, revenue: revenue)
    }
}
