import AdAttribution
import Money
import StrictJSON

extension GoogleAdsFormat {
    /// The schema as protobuf writes it: camel case, 64-bit integers as texts.
    static func document(_ scheme: ConversionScheme) -> JSONDocument {
        var members: [(name: String, value: JSONDocument)] = [("appId", .string(String(scheme.appID.value)))]
        if let hours = scheme.measurementWindowHours { members.append(("measurementWindowHours", .integer(hours))) }
        let fine = scheme.fineMeanings.filter { $0.meaning.canBeSaid }.map { value, meaning in
            JSONDocument.object([
                ("fineGrainedConversionValue", .integer(Int64(value))),
                ("conversionValueMapping", mapping(meaning, scheme)),
            ])
        }
        members.append(("fineGrainedConversionValueMappings", .array(fine)))
        let postbacks = scheme.windows.enumerated().filter { !$1.isEmpty }.map { postback($0, $1, scheme) }
        if !postbacks.isEmpty { members.append(("postbackMappings", .array(postbacks))) }
        return .object([("schema", .object(members))])
    }

    private static func postback(_ index: Int, _ window: SchemeWindow, _ scheme: ConversionScheme) -> JSONDocument {
        var members: [(name: String, value: JSONDocument)] = [("postbackSequenceIndex", .integer(Int64(index)))]
        let coarse = CoarseConversionValue.ascending.compactMap { value in
            window.coarse[value].flatMap { meaning in
                meaning.canBeSaid
                    ? (name: "\(value.rawValue)ConversionValueMapping", value: mapping(meaning, scheme)) : nil
            }
        }
        if !coarse.isEmpty { members.append(("coarseGrainedConversionValueMappings", .object(coarse))) }
        // A window has one trigger here.
        switch window.locks.first {
        case .event(let name): members.append(("lockWindowEvent", .string(name.text)))
        case .coarse(let value):
            members.append(("lockWindowCoarseConversionValue", .string(value.rawValue.uppercased())))
        case .fine(let value): members.append(("lockWindowFineConversionValue", .integer(Int64(value.value))))
        case nil: break
        }
        return .object(members)
    }

    private static func mapping(_ meaning: Meaning, _ scheme: ConversionScheme) -> JSONDocument {
        var members: [(name: String, value: JSONDocument)] = []
        if let hours = meaning.hours {
            members.append(("minTimePostInstallHours", .string(String(hours.low))))
            members.append(("maxTimePostInstallHours", .string(String(hours.high))))
        }
        members.append(("mappedEvents", .array(meaning.events.map { event($0, scheme.currency) })))
        return .object(members)
    }

    private static func event(_ event: MappedEvent, _ currency: CurrencyCode?) -> JSONDocument {
        var members: [(name: String, value: JSONDocument)] = [("mappedEventName", .string(event.name.text))]
        if let revenue = event.statedRevenue {
            if let currency { members.append(("currencyCode", .string(currency.text))) }
            if revenue.isExact {
                members.append(("eventRevenueValue", .number(revenue.from.text)))
            } else {
                var range: [(name: String, value: JSONDocument)] = [("minEventRevenue", .number(revenue.from.text))]
                if let to = revenue.to { range.append(("maxEventRevenue", .number(to.text))) }
                members.append(("eventRevenueRange", .object(range)))
            }
        }
        if event.count.isExact {
            members.append(("eventCounter", .string(String(event.count.from))))
        } else if event.count != .atLeastOnce {
            var range: [(name: String, value: JSONDocument)] = [("minEventCount", .string(String(event.count.from)))]
            if let to = event.count.to { range.append(("maxEventCount", .string(String(to)))) }
            members.append(("eventOccurrenceRange", .object(range)))
        }
        return .object(members)
    }
}

extension Meaning {
    /// Whether the format has words for it: it knows no "any of".
    fileprivate var canBeSaid: Bool { rule == .all }
}
