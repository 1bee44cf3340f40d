import AdAttribution
import Money
import StrictJSON

extension MetaFormat {
    /// The configuration with the members that the SDK reads.
    static func document(_ scheme: ConversionScheme) -> JSONDocument {
        var members: [(name: String, value: JSONDocument)] = []
        if let currency = scheme.currency { members.append(("default_currency", .string(currency.text))) }
        if let days = days(scheme) { members.append(("cutoff_time", .integer(days))) }
        let rules = scheme.fineMeanings.reversed().flatMap { value, meaning in
            meaning.alternatives.map { events in
                JSONDocument.object([
                    ("conversion_value", .integer(Int64(value))), ("events", self.events(events, scheme.currency)),
                ])
            }
        }
        members.append(("conversion_value_rules", .array(rules)))
        let locks = scheme.windows.enumerated().flatMap { index, window in
            window.locks.compactMap { lock(index, $0, scheme.currency) }
        }
        members.append(("lock_window_rules", .array(locks)))
        let configurations = scheme.windows.enumerated().filter { !$1.coarse.isEmpty }.map { index, window in
            coarse(index, window, scheme.currency)
        }
        members.append(("coarse_cv_configs", .array(configurations)))
        members.append(("is_coarse_cv_accumulative", .boolean(false)))
        return .object([("data", .array([.object(members)]))])
    }

    /// The measurement window in whole days; nil if it is not known or not whole.
    static func days(_ scheme: ConversionScheme) -> Int64? {
        scheme.measurementWindowHours.flatMap { $0 % 24 == 0 ? $0 / 24 : nil }
    }

    private static func coarse(_ index: Int, _ window: SchemeWindow, _ currency: CurrencyCode?) -> JSONDocument {
        let rules = CoarseConversionValue.ascending.reversed().flatMap { value in
            // The SDK drops all rules of a window if one of them has no event.
            (window.coarse[value]?.alternatives ?? []).filter { !$0.isEmpty }.map { events in
                JSONDocument.object([
                    ("coarse_cv_value", .string(value.rawValue)), ("events", self.events(events, currency)),
                ])
            }
        }
        return .object([("postback_sequence_index", .integer(Int64(index) + 1)), ("coarse_cv_rules", .array(rules))])
    }

    private static func lock(_ index: Int, _ trigger: LockTrigger, _ currency: CurrencyCode?) -> JSONDocument? {
        guard case .event(let name) = trigger else { return nil }
        return .object([
            ("lock_window_type", .string("event")), ("events", events([MappedEvent(name: name)], currency)),
            ("postback_sequence_index", .integer(Int64(index) + 1)),
        ])
    }

    /// What thresholds lose, and the events behind the first one with an amount.
    static func notes(_ scheme: ConversionScheme) -> [SchemeNote] {
        Thresholds.notes(scheme) { _, _ in true }
            + scheme.namedMeanings.flatMap { place, meaning in
                meaning.alternatives.flatMap { $0.filter { $0.statedRevenue != nil }.dropFirst() }.map { event in
                    SchemeNote(
                        place: place,
                        text:
                            "the SDK does not ask for \(event.name.quoted), since it stops at the first event "
                            + "with an amount"
                    )
                }
            }
    }

    /// Events in the order in which the SDK asks for those that must have happened, and for no others.
    ///
    /// It asks for none behind one that has an amount. So events that need not have happened stand there, and are left
    /// out if no event has an amount.
    private static func inOrder(_ events: [MappedEvent]) -> [MappedEvent] {
        let needed = events.filter { $0.count.from > 0 }
        guard !needed.isEmpty else { return events }
        let asked = needed.filter { $0.statedRevenue == nil } + needed.filter { $0.statedRevenue != nil }
        return asked.last?.statedRevenue == nil ? asked : asked + events.filter { $0.count.from == 0 }
    }

    private static func events(_ events: [MappedEvent], _ currency: CurrencyCode?) -> JSONDocument {
        .array(
            inOrder(events).map { event in
                var members: [(name: String, value: JSONDocument)] = [("event_name", .string(event.name.text))]
                if let revenue = event.statedRevenue, let currency {
                    let value = JSONDocument.object([
                        ("currency", .string(currency.text)), ("amount", .number(revenue.from.text)),
                    ])
                    members.append(("values", .array([value])))
                }
                return .object(members)
            })
    }
}

extension Meaning {
    /// Lists of events, of which any may hold and in which all must hold: one list, or one for each event.
    var alternatives: [[MappedEvent]] {
        rule == .all ? [events] : events.map { [$0] }
    }
}
