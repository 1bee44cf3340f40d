import AdAttribution
import StrictJSON

/// Google Ads API, `CustomerSkAdNetworkConversionValueSchema`, as protobuf writes it in JSON.
///
/// Members are accepted in camel case and in snake case. A member that is left out is 0, as in protobuf. Source:
/// googleapis, google/ads/googleads/v21/resources/customer_sk_ad_network_conversion_value_schema.proto.
enum GoogleAdsFormat {
    /// Reads the schema, alone or in the resource or the operation around it.
    static func read(_ root: inout DocumentObject, _ builder: inout SchemeBuilder) {
        guard let node = root.value("operation") ?? root.value("schema") ?? root.value("update") else {
            return readSchema(&root, &builder)
        }
        // The name of the resource says nothing about values.
        _ = root.value("resourceName", "resource_name")
        guard var inner = node.object() else { return }
        read(&inner, &builder)
        inner.noteOthers(SchemeNote.leftOut)
    }

    private static func readSchema(_ schema: inout DocumentObject, _ builder: inout SchemeBuilder) {
        builder.appID = schema.value("appId", "app_id")?.looseInteger(0...Int64.max).flatMap { AppID($0) }
        builder.measurementWindowHours = schema.value("measurementWindowHours", "measurement_window_hours")?
            .looseInteger(0...HourRange.limit).flatMap { $0 > 0 ? $0 : nil }
        let fine = schema.value("fineGrainedConversionValueMappings", "fine_grained_conversion_value_mappings")?.array()
        let postbacks = schema.value("postbackMappings", "postback_mappings")?.array()
        let fields = GoogleAdsFields(builder: builder, nodes: (fine ?? []) + (postbacks ?? []))
        builder.currency = fields.currency
        for node in fine ?? [] {
            guard var reader = node.object() else { continue }
            let value = reader.value("fineGrainedConversionValue", "fine_grained_conversion_value")
            let number = value.map { $0.looseInteger(0...63) } ?? 0
            let meaning = fields.mapping(reader.value("conversionValueMapping", "conversion_value_mapping"))
            if let number, let meaning, let value = ConversionValue(number) {
                builder.add(.fine(value), meaning, node.place)
            }
            reader.noteOthers(SchemeNote.leftOut)
        }
        for node in postbacks ?? [] { readPostback(node, fields, &builder) }
    }

    private static func readPostback(_ node: DocumentNode, _ fields: GoogleAdsFields, _ builder: inout SchemeBuilder) {
        guard var reader = node.object() else { return }
        let index = reader.value("postbackSequenceIndex", "postback_sequence_index")
        guard let number = index.map({ $0.looseInteger(0...2) }) ?? 0 else { return }
        let window = Int(number)
        let mappings = reader.value("coarseGrainedConversionValueMappings", "coarse_grained_conversion_value_mappings")
        if let mappings, var coarse = mappings.object() {
            for value in CoarseConversionValue.ascending {
                let name = value.rawValue
                guard let node = coarse.value("\(name)ConversionValueMapping", "\(name)_conversion_value_mapping"),
                    let meaning = fields.mapping(node)
                else { continue }
                builder.add(.coarse(window, value), meaning, node.place)
            }
            coarse.noteOthers(SchemeNote.leftOut)
        }
        if let node = reader.value("lockWindowEvent", "lock_window_event"), let name = node.eventName() {
            builder.lock(window, .event(name), node.place)
        }
        if let node = reader.value("lockWindowFineConversionValue", "lock_window_fine_conversion_value"),
            let value = node.looseInteger(0...63).flatMap({ ConversionValue($0) })
        {
            builder.lock(window, .fine(value), node.place)
        }
        if let node = reader.value("lockWindowCoarseConversionValue", "lock_window_coarse_conversion_value"),
            let value = coarse(node)
        {
            builder.lock(window, .coarse(value), node.place)
        }
        reader.noteOthers(SchemeNote.leftOut)
    }

    /// The enumeration `SkAdNetworkCoarseConversionValue`, by name or by number.
    private static func coarse(_ node: DocumentNode) -> CoarseConversionValue? {
        switch node.json.value {
        case .string("LOW"), .integer(3): return .low
        case .string("MEDIUM"), .integer(4): return .medium
        case .string("HIGH"), .integer(5): return .high
        case .string("UNSPECIFIED"), .string("UNKNOWN"), .string("UNAVAILABLE"), .string("NONE"),
            .integer(0), .integer(1), .integer(2), .integer(6):
            node.findings.note(node.place, "left out: it is no value that an app can set")
            return nil
        default:
            node.refuse("LOW, MEDIUM or HIGH")
            return nil
        }
    }
}
