import AdAttribution
import Money
import StrictJSON

/// Google Analytics Admin API v1alpha, `SKAdNetworkConversionValueSchema`.
///
/// Each entry of the first window names a fine and a coarse value, and the first entry that fits wins. Later windows
/// inherit if they are not enabled. Source: Google, "REST Resource: properties.dataStreams.
/// sKAdNetworkConversionValueSchema".
enum AnalyticsFormat {
    static let windows = [
        (camel: "postbackWindowOne", snake: "postback_window_one"),
        (camel: "postbackWindowTwo", snake: "postback_window_two"),
        (camel: "postbackWindowThree", snake: "postback_window_three"),
    ]

    static func read(_ root: inout DocumentObject, _ builder: inout SchemeBuilder) {
        builder.hasPriority = true
        // The name of the resource says nothing about values.
        _ = root.value("name")
        // Which window gives a disabled one its values.
        var source = 0
        for (window, name) in windows.enumerated() {
            guard let node = root.value(name.camel, name.snake), var reader = node.object() else {
                if window > 0 { builder.copyCoarse(from: source, to: window) }
                continue
            }
            let enabled = reader.value("postbackWindowSettingsEnabled", "postback_window_settings_enabled")?.boolean()
            let entries = reader.value("conversionValues", "conversion_values")
            reader.noteOthers(SchemeNote.leftOut)
            if window == 0 || enabled == true {
                for node in entries?.array() ?? [] { readEntry(node, window, &builder) }
                source = window
            } else {
                if let entries, entries.array()?.isEmpty == false {
                    node.findings.note(entries.place, "left out: the window is not enabled")
                }
                builder.copyCoarse(from: source, to: window)
            }
        }
    }

    private static func readEntry(_ node: DocumentNode, _ window: Int, _ builder: inout SchemeBuilder) {
        guard var reader = node.object() else { return }
        let fine = reader.value("fineValue", "fine_value")
        let coarse = reader.value("coarseValue", "coarse_value").flatMap(coarse)
        let locked = reader.value("lockEnabled", "lock_enabled")?.boolean() ?? false
        let mappings = reader.value("eventMappings", "event_mappings")
        let events = (mappings?.array() ?? []).compactMap(event)
        reader.noteOthers(SchemeNote.leftOut)
        guard let meaning = Meaning(events) else {
            node.findings.refuse(node.place, "has an event that stands in it twice")
            return
        }
        if window == 0 {
            // In JSON, 0 is often left out.
            let number = fine.map { $0.looseInteger(0...63) } ?? 0
            guard let value = number.flatMap({ ConversionValue($0) }) else { return }
            builder.add(.fine(value), meaning, node.place, locks: locked)
        } else if let fine {
            fine.findings.note(fine.place, "left out: window \(window) is coarse only")
        }
        guard let coarse else { return }
        builder.add(.coarse(window, coarse), meaning, node.place, locks: locked)
    }

    private static func coarse(_ node: DocumentNode) -> CoarseConversionValue? {
        switch node.json.value {
        case .string("COARSE_VALUE_LOW"), .integer(1): return .low
        case .string("COARSE_VALUE_MEDIUM"), .integer(2): return .medium
        case .string("COARSE_VALUE_HIGH"), .integer(3): return .high
        case .string("COARSE_VALUE_UNSPECIFIED"), .integer(0): return nil
        default:
            node.refuse("COARSE_VALUE_LOW, COARSE_VALUE_MEDIUM or COARSE_VALUE_HIGH")
            return nil
        }
    }

    private static func event(_ node: DocumentNode) -> MappedEvent? {
        guard var reader = node.object() else { return nil }
        let name = (reader.value("eventName", "event_name") ?? reader.required("eventName"))?.eventName()
        let low = reader.value("minEventCount", "min_event_count")?.looseInteger(0...CountRange.limit)
        let high = reader.value("maxEventCount", "max_event_count")?.looseInteger(0...CountRange.limit)
        let from = reader.value("minEventValue", "min_event_value")?.looseRevenue()
        let to = reader.value("maxEventValue", "max_event_value")?.looseRevenue()
        reader.noteOthers(SchemeNote.leftOut)
        guard let name else { return nil }
        let count = CountRange(from: low ?? 1, to: high)
        let stated = from == nil && to == nil ? nil : RevenueRange(from: from ?? .zero, to: to)
        guard let count, stated != nil || (from == nil && to == nil) else {
            node.refuse("an event whose maxima are not below its minima")
            return nil
        }
        return MappedEvent(name: name, revenue: stated ?? name.revenueWithoutAmount, count: count)
    }
}
