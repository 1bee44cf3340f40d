import AdAttribution
import Money
import StrictJSON

extension TikTokFormat {
    /// The configuration with the members that the SDK reads.
    static func document(_ scheme: ConversionScheme) -> JSONDocument {
        var members: [(name: String, value: JSONDocument)] = []
        if let currency = scheme.currency { members.append(("currency", .string(currency.text))) }
        let fine = scheme.fineMeanings.compactMap { rule(String($0.value), $0.meaning) }
        let postbacks: [JSONDocument] = scheme.windows.enumerated().compactMap { index, window in
            let coarse = CoarseConversionValue.ascending.compactMap { value in
                window.coarse[value].flatMap { rule(value.rawValue, $0) }
            }
            guard !coarse.isEmpty || (index == 0 && !fine.isEmpty) else { return nil }
            return .object([
                ("postback_index", .integer(Int64(index))), ("fine", index == 0 ? .array(fine) : .null),
                ("coarse", .array(coarse)),
            ])
        }
        members.append(("postbacks", .array(postbacks)))
        return .object(members)
    }

    /// A rule; nil for "any of", which the format can't say.
    private static func rule(_ value: String, _ meaning: Meaning) -> JSONDocument? {
        guard meaning.rule == .all else { return nil }
        let funnel = meaning.events.map { event in
            JSONDocument.object([
                ("event_name_report", .string(event.name.text)),
                ("revenue_min", .number((event.revenue?.from ?? .zero).text)),
                ("revenue_max", .number((event.revenue?.to ?? .zero).text)),
            ])
        }
        return .object([("conversion_value", .string(value)), ("event_funnel", .array(funnel))])
    }

    /// What the SDK does with ranges, and a file that is read back does not show.
    static func notes(_ scheme: ConversionScheme) -> [SchemeNote] {
        Thresholds.notes(scheme) { meaning, revenue in meaning.rule == .all && !revenue.isNothing } + openEnds(scheme)
    }

    /// The ends of ranges at which no higher value begins: the SDK does not look at them.
    private static func openEnds(_ scheme: ConversionScheme) -> [SchemeNote] {
        let values = values(scheme).filter { $0.meaning.rule == .all }
        var open = values.map { (slot: $0.slot, meaning: $0.meaning.withoutEnds, place: $0.place) }
        Priority.apply(&open)
        return zip(values, open).flatMap { value, read in
            zip(value.meaning.events, read.meaning.events).compactMap { written, read in
                guard let revenue = written.revenue, !revenue.isNothing, let end = revenue.to, read.revenue?.to != end
                else { return nil }
                return SchemeNote(
                    place: value.place.path,
                    text:
                        "revenue of \(written.name.quoted): the end at \(end.text) is left out, since the SDK does not "
                        + "look at it, and no higher value begins there")
            }
        }
    }

    /// The values in the order in which the SDK tries them, with their names in notes.
    private static func values(
        _ scheme: ConversionScheme
    ) -> [(slot: SchemeBuilder.Slot, meaning: Meaning, place: DocumentPlace)] {
        scheme.fineMeanings.reversed().compactMap { value, meaning in
            ConversionValue(Int64(value)).map { (.fine($0), meaning, DocumentPlace(line: 1, path: "fine \(value)")) }
        }
            + scheme.windows.enumerated().flatMap { index, window in
                CoarseConversionValue.ascending.reversed().compactMap { value in
                    window.coarse[value].map {
                        (.coarse(index, value), $0, DocumentPlace(line: 1, path: "window \(index) \(value.rawValue)"))
                    }
                }
            }
    }
}

extension RevenueRange {
    /// Whether it is written as 0 to 0, which fits any revenue.
    fileprivate var isNothing: Bool { from == .zero && to == .zero }
}

extension Meaning {
    /// What the SDK asks for: amounts without upper ends, and neither numbers nor hours.
    fileprivate var withoutEnds: Meaning {
        let open = events.map { event in
            MappedEvent(name: event.name, revenue: event.revenue.flatMap { RevenueRange(from: $0.from, to: nil) })
        }
        return Meaning(open, rule: rule) ?? self
    }
}
