import AdAttribution
import ConversionSchemes
import Money
import Testing

@Suite("Meta's configurations")
struct MetaFormatTests {
    private static let timers = [
        "data[0].timer_buckets: left out: a scheme has no place for it",
        "data[0].timer_interval: left out: a scheme has no place for it",
    ]

    private static func threshold(_ value: String, _ amount: Int) -> String {
        "\(value): revenue of \"fb_mobile_purchase\": exactly \(amount) is left out, since the SDK wants more than a threshold"
    }

    private static let notAsked =
        "may have happened or not: the SDK does not ask for it, since it stops at the first event with an amount"

    /// Each configuration of the SDK's tests, what it means, what a scheme can't say of it, and what an export loses.
    private static let examples: [(file: String, meaning: String, notes: [String], lost: [String])] = [
        (
            "meta-events",
            """
            "currency": "USD", "measurement-window-hours": 48, "fine": [
            {"value": 2, "events": [{"name": "fb_mobile_purchase", "revenue": {"from": 0, "to": 100}}]},
            {"value": 3, "events": [{"name": "fb_mobile_purchase", "revenue": {"from": 100}}, {"name": "fb_mobile_search", "count": {"from": 0}}]},
            {"value": 4, "events": [{"name": "fb_mobile_complete_registration", "count": {"from": 0}}, {"name": "fb_mobile_purchase", "revenue": {"from": 100}}]}]
            """,
            [
                "data[0].conversion_value_rules[1].events[1]: \(notAsked)",
                "data[0].conversion_value_rules[2].events[0].values[1]: left out: an amount in JPY; that of the scheme is USD",
                "data[0].conversion_value_rules[2].events[1]: \(notAsked)",
            ] + timers, [threshold("fine 2", 0), threshold("fine 3", 100), threshold("fine 4", 100)]
        ),
        (
            "meta-rules",
            """
            "currency": "USD", "measurement-window-hours": 48, "fine": [
            {"value": 2, "events": [{"name": "fb_mobile_purchase", "revenue": {"from": 0, "to": 100}}]},
            {"value": "3-4", "events": [{"name": "fb_mobile_purchase", "revenue": {"from": 100}}]}]
            """,
            [
                "data[0].conversion_value_rules[2].events[0].values[1]: left out: an amount in JPY; that of the scheme is USD"
            ] + timers, [threshold("fine 2", 0), threshold("fine 3", 100), threshold("fine 4", 100)]
        ),
        (
            "meta-currencies",
            """
            "currency": "USD", "measurement-window-hours": 48,
            "fine": [{"value": 4, "events": [{"name": "fb_mobile_purchase", "revenue": {"from": 100}}]}],
            "windows": [
            {"index": 0, "coarse": {"medium": {"events": [{"name": "fb_mobile_search", "revenue": "unknown"}]}, "high": {"events": [{"name": "fb_mobile_purchase", "revenue": "unknown"}]}}},
            {"index": 1, "coarse": {"low": {"events": [{"name": "fb_mobile_level_up", "revenue": "unknown"}]}}}]
            """,
            [
                "data[0].coarse_cv_configs[0].coarse_cv_rules[0].events[0].values[0]: left out: an amount in eur; that of the scheme is USD",
                "data[0].coarse_cv_configs[0].coarse_cv_rules[1].events[0].values[0]: left out: an amount in sgd; that of the scheme is USD",
                "data[0].coarse_cv_configs[1].coarse_cv_rules[0].events[0].values[0]: left out: an amount in gbp; that of the scheme is USD",
            ] + timers,
            [threshold("fine 4", 100), "window 0 medium: revenue of \"fb_mobile_search\", unknown, becomes none"]
        ),
        (
            "meta-coarse",
            """
            "currency": "USD", "measurement-window-hours": 48, "windows": [
            {"index": 0, "coarse": {
              "medium": {"events": [{"name": "fb_mobile_purchase", "revenue": {"from": 0, "to": 100}}, {"name": "fb_mobile_search"}]},
              "high": {"events": [{"name": "fb_mobile_purchase", "revenue": {"from": 100}}, {"name": "fb_mobile_search", "count": {"from": 0}}]}}},
            {"index": 1, "coarse": {"low": {"events": [{"name": "fb_mobile_level_up", "revenue": "unknown"}]}}}]
            """, ["data[0].coarse_cv_configs[0].coarse_cv_rules[0].events[1]: \(notAsked)"] + timers,
            [threshold("window 0 medium", 0), threshold("window 0 high", 100)]
        ),
        (
            "meta-lock-time", "\"currency\": \"USD\", \"measurement-window-hours\": 48",
            [
                "data[0].lock_window_rules[0]: left out: a lock after 36 hours, which a scheme can't say",
                "data[0].lock_window_rules[1]: left out: a lock after 68 hours, which a scheme can't say",
            ] + timers, []
        ),
        (
            "meta-lock-events", "\"currency\": \"USD\", \"measurement-window-hours\": 48",
            [
                "data[0].lock_window_rules[0].events[1]: \(notAsked)",
                "data[0].lock_window_rules[0]: left out: a lock by several events, or by an amount, which a scheme can't say",
            ] + timers, []
        ),
    ]

    @Test(
        "Each configuration of the SDK's tests is read with every value, event and threshold",
        arguments: examples.indices)
    func published(_ index: Int) throws {
        let (file, meaning, notes, _) = Self.examples[index]
        let converted = try SchemeFormat.meta.read(Fixture.bytes("\(file).json"), options(app: 525_463_029))
        #expect(converted.output == (try .imported(meaning)), "\(converted.output.canonical)")
        #expect(converted.lines == notes)
    }

    @Test(
        "What is read from it reads back the same, but for what an export notes: thresholds, and unknown revenue of some events",
        arguments: examples.indices)
    func roundTrip(_ index: Int) throws {
        let bytes = try Fixture.bytes("\(Self.examples[index].file).json")
        let scheme = try SchemeFormat.meta.read(bytes, options(app: 525_463_029)).output
        #expect(
            SchemeFormat.meta.write(scheme).lines
                == ["app-id", "name", "valid-from"].map { "\($0): left out: meta has no place for it" }
                + Self.examples[index].lost)
        let isSame = !Self.examples[index].lost.contains { $0.contains("becomes") }
        #expect((try SchemeFormat.meta.readBack(scheme) == scheme) == isSame)
    }

    @Test("A lock by an event with an amount is noted, in whichever currency it is")
    func lockByAmount() throws {
        let converted = try SchemeFormat.meta.read(
            """
            {"data": [{"default_currency": "USD", "conversion_value_rules": [], "lock_window_rules": [
            {"lock_window_type": "event", "postback_sequence_index": 1,
             "events": [{"event_name": "buy", "values": [{"currency": "EUR", "amount": 5}]}]}]}]}
            """, options(app: 1))
        // The old lock: the event buy, with any amount.
        #expect(converted.output.windows[0].locks == [])
        #expect(
            converted.lines.last
                == "data[0].lock_window_rules[0]: left out: a lock by several events, or by an amount, which a scheme can't say"
        )
    }

    @Test("Of several events with amounts, the SDK asks for the first only; events without one stand before it")
    func severalAmounts() throws {
        let scheme = try ConversionScheme(
            """
            "currency": "USD", "fine": [{"value": 1, "events": [
            {"name": "a", "revenue": {"from": 1}}, {"name": "b", "revenue": {"from": 2}}, {"name": "c", "revenue": "unknown"}]}]
            """)
        let written = SchemeFormat.meta.write(scheme)
        #expect(
            written.lines.contains(
                "fine 1: the SDK does not ask for \"b\", since it stops at the first event with an amount"))
        let text = String(decoding: written.output, as: UTF8.self)
        let names = text.matches(of: /"event_name": "([a-z])"/).map { String($0.output.1) }
        #expect(names == ["c", "a", "b"])
    }

    @Test("Of several amounts the first one counts, so values that differ in a later one are not refused")
    func amountsOfTwoEvents() throws {
        func rule(_ value: Int, _ purchase: Int, _ cart: Int) -> String {
            """
            {"conversion_value": \(value), "events": [
            {"event_name": "buy", "values": [{"currency": "USD", "amount": \(purchase)}]},
            {"event_name": "cart", "values": [{"currency": "USD", "amount": \(cart)}]}]}
            """
        }
        let converted = try SchemeFormat.meta.read(
            """
            {"data": [{"default_currency": "USD", "conversion_value_rules": [
            \(rule(3, 10, 10)), \(rule(2, 10, 5)), \(rule(1, 5, 5))]}]}
            """, options(app: 525_463_029))
        let cart = "{\"name\": \"cart\", \"revenue\": \"unknown\", \"count\": {\"from\": 0}}"
        // The SDK never sets value 2: value 3 asks for the same.
        #expect(
            converted.output
                == (try .imported(
                    """
                    "currency": "USD", "fine": [
                    {"value": 1, "events": [{"name": "buy", "revenue": {"from": 5, "to": 10}}, \(cart)]},
                    {"value": "2-3", "events": [{"name": "buy", "revenue": {"from": 10}}, \(cart)]}]
                    """)),
            "\(converted.output.canonical)")
        #expect(
            converted.lines == (0...2).map { "data[0].conversion_value_rules[\($0)].events[1]: \(Self.notAsked)" })
        #expect(try SchemeFormat.meta.readBack(converted.output) == converted.output)
    }

    @Test("An event that need not have happened is written behind an amount, and left out where there is none")
    func perhaps() throws {
        let scheme = try ConversionScheme(
            """
            "currency": "USD", "fine": [
            {"value": 1, "events": [{"name": "a", "count": {"from": 0}}, {"name": "b"}]},
            {"value": 2, "events": [{"name": "a", "revenue": "unknown", "count": {"from": 0}}, {"name": "b"}, {"name": "c", "revenue": {"from": 5}}]}]
            """)
        let written = SchemeFormat.meta.write(scheme)
        let text = String(decoding: written.output, as: UTF8.self)
        #expect(text.matches(of: /"event_name": "([a-z])"/).map { String($0.output.1) } == ["b", "c", "a", "b"])
        #expect(written.lines.contains("fine 1: the event \"a\" is left out"))
        #expect(!written.lines.contains { $0.hasPrefix("fine 2: ") && $0.contains("\"a\"") })
    }

    @Test("A threshold ends where that of a higher value begins, whatever the order of the rules")
    func thresholds() throws {
        let converted = try SchemeFormat.meta.read(
            """
            {"data": [{"default_currency": "USD", "cutoff_time": 1, "conversion_value_rules": [
            {"conversion_value": 30, "events": [{"event_name": "buy", "values": [{"currency": "USD", "amount": 50}]}]},
            {"conversion_value": 10, "events": [{"event_name": "buy", "values": [{"currency": "USD", "amount": 0}]}]},
            {"conversion_value": 20, "events": [{"event_name": "buy", "values": [{"currency": "USD", "amount": 9.99}]}]}],
            "lock_window_rules": [{"lock_window_type": "event", "events": [{"event_name": "buy"}], "postback_sequence_index": 3}]}]}
            """, options(app: 525_463_029))
        #expect(
            converted.output
                == (try .imported(
                    """
                    "currency": "USD", "measurement-window-hours": 24, "fine": [
                    {"value": 10, "events": [{"name": "buy", "revenue": {"from": 0, "to": 9.99}}]},
                    {"value": 20, "events": [{"name": "buy", "revenue": {"from": 9.99, "to": 50}}]},
                    {"value": 30, "events": [{"name": "buy", "revenue": {"from": 50}}]}],
                    "windows": [{"index": 2, "lock": {"event": "buy"}}]
                    """)),
            "\(converted.output.canonical)")
        #expect(converted.lines == [])
        #expect(try SchemeFormat.meta.readBack(converted.output) == converted.output)
    }

    @Test("A threshold of a lower value above that of a higher one stays open, since no user gets there by the order")
    func descending() throws {
        let text = """
            {"data": [{"default_currency": "USD", "conversion_value_rules": [
            {"conversion_value": 2, "events": [{"event_name": "buy", "values": [{"currency": "USD", "amount": 5}]}]},
            {"conversion_value": 1, "events": [{"event_name": "buy", "values": [{"currency": "USD", "amount": 50}]}]}]}]}
            """
        #expect(
            try SchemeFormat.meta.refusal(text, options(app: 1)).first?.contains("the revenue of \"buy\" overlaps")
                == true)
    }

    @Test("The operator's currency chooses among the amounts of several currencies")
    func currency() throws {
        let converted = try SchemeFormat.meta.read(
            Fixture.bytes("meta-events.json"), options(app: 525_463_029, currency: "JPY"))
        #expect(converted.output.currency?.text == "JPY")
        let events = try #require(converted.output.fineMeanings.first { $0.value == 3 }).meaning.events
        #expect(events.first?.revenue?.from.text == "100" && converted.notes.count == 6)
    }

    @Test("A file of another shape is refused with its line")
    func refused() throws {
        #expect(try SchemeFormat.meta.refusal("{}", options(app: 1)) == ["line 1: data: is missing"])
        #expect(
            try SchemeFormat.meta.refusal("{\"data\": []}", options(app: 1)) == [
                "line 1: scheme: data has no configuration"
            ])
        #expect(
            try SchemeFormat.meta.refusal(
                """
                {"data": [{"default_currency": "US", "conversion_value_rules": [{"conversion_value": 99, "events": []}],
                "coarse_cv_configs": [{"postback_sequence_index": 0, "coarse_cv_rules": []}]}]}
                """, options(app: 1)) == [
                    "line 1: data[0].default_currency: must be a currency in three capital letters (ISO 4217), such as EUR, not \"US\"",
                    "line 1: data[0].conversion_value_rules[0].conversion_value: must be an integer from 0 to 63, not 99",
                    "line 2: data[0].coarse_cv_configs[0].postback_sequence_index: must be an integer from 1 to 3, not 0",
                ])
    }
}
