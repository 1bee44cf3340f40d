import AdAttribution
import ConversionSchemes
import Money
import TestSupport
import Testing

@Suite("The file of a scheme")
struct SchemeFileTests {
    @Test("The example is read with every member")
    func example() throws {
        let scheme = try SchemeFile.read(try TestEnvironment.file("examples/scheme.json"))
        #expect(scheme.appID == AppID(525_463_029))
        #expect(scheme.name.text == "2026-Q4 revenue")
        #expect(scheme.validity.from.text == "2026-10-01T00:00:00Z" && scheme.validity.to == nil)
        #expect(scheme.currency?.text == "USD" && scheme.measurementWindowHours == 48)
        #expect(scheme.fine.map(\.values) == [0...0, 1...1, 2...3, 4...4, 5...5, 6...6])
        #expect(scheme.unmapped == [7...63])
        let purchase = try #require(scheme.fine[2].meaning.events.first)
        #expect(purchase.name.text == "purchase" && purchase.count == CountRange(from: 1, to: 3))
        #expect(purchase.revenue?.from.text == "0.99" && purchase.revenue?.to?.text == "4.99")
        #expect(scheme.fine[2].meaning.hours == HourRange(low: 0, high: 24))
        #expect(scheme.fine[4].meaning.events.first?.revenue?.to == nil)
        #expect(scheme.fine[5].meaning.events.last?.revenue?.isExact == true)
        #expect(scheme.windows[0].coarse[.medium]?.rule == .any)
        #expect(scheme.windows[0].locks == [.event(try #require(EventName("subscribe")))])
        #expect(scheme.windows[1].locks == [.coarse(.high)])
        #expect(scheme.unmappedCoarse(2) == [.low, .medium] && scheme.unmappedCoarse(1) == [])
    }

    @Test(
        "The canonical file reads back as the same scheme, and is written the same again",
        arguments: ["scheme", "scheme-bits"])
    func canonical(_ name: String) throws {
        let scheme = try SchemeFile.read(try TestEnvironment.file("examples/\(name).json"))
        let again = try SchemeFile.read(scheme.file)
        #expect(again == scheme)
        #expect(again.file == scheme.file)
    }

    @Test("Order, spelling of numbers and needless members make no difference")
    func sorted() throws {
        let one = try ConversionScheme(
            """
            "currency": "USD", "fine": [{"value": 2, "events": [{"name": "b"}, {"name": "a", "revenue": {"from": 1.50, "to": 2e0}}]},
            {"value": 3, "events": [{"name": "a", "revenue": {"from": 1.5, "to": 2}}, {"name": "b", "count": {"from": 1}}]}],
            "windows": [{"index": 1, "lock": [{"coarse": "high"}]}, {"index": 2, "coarse": {}}]
            """)
        let two = try ConversionScheme(
            """
            "windows": [{"index": 1, "lock": {"coarse": "high"}}], "valid-to": null, "measurement-window-hours": null,
            "fine": [{"value": "2-3", "any-of": [{"name": "a", "revenue": {"from": 15e-1, "to": 2}}, {"name": "b"}]}], "currency": "USD"
            """)
        #expect(one != two)
        #expect(one.fine.map(\.values) == [2...3])
        let three = try ConversionScheme(
            """
            "windows": [{"index": 1, "lock": {"coarse": "high"}}], "valid-to": null,
            "fine": [{"value": "2-3", "events": [{"name": "a", "revenue": {"from": 15e-1, "to": 2}}, {"name": "b"}]}], "currency": "USD"
            """)
        #expect(one == three)
        #expect(one.file == three.file)
    }

    @Test(
        "Unknown revenue has one spelling, needs no currency, and lets any other value with the event stand beside it")
    func unknownRevenue() throws {
        let scheme = try ConversionScheme(
            "\"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"revenue\": \"unknown\"}]}]")
        let open = try ConversionScheme(
            "\"fine\": [{\"value\": 1, \"events\": [{\"name\": \"a\", \"revenue\": {\"from\": 0}}]}]")
        #expect(scheme == open && scheme.canonical == open.canonical)
        #expect(scheme.canonical.contains("{ \"name\": \"a\", \"revenue\": \"unknown\" }"))
        #expect(!scheme.hasRevenue)
        let row = try #require(scheme.rows.first)
        #expect(row.revenueLow == .zero && row.revenueHigh == nil)
        #expect(throws: Never.self) {
            try ConversionScheme(
                """
                "currency": "USD", "fine": [{"value": 1, "events": [{"name": "a", "revenue": "unknown"}]},
                {"value": 2, "events": [{"name": "a", "revenue": {"from": 1}}]}, {"value": 3, "events": [{"name": "a"}]}]
                """)
        }
    }

    @Test("The canonical file has this text")
    func text() throws {
        let scheme = try ConversionScheme(
            """
            "fine": [{"value": 1, "any-of": [{"name": "b"}, {"name": "a", "count": {"from": 0, "to": 2}}], "hours": [0, 24]}],
            "windows": [{"index": 2, "coarse": {"high": {"events": []}}, "lock": {"event": "ä\\u0022"}}]
            """)
        #expect(
            String(decoding: scheme.file, as: UTF8.self) == """
                {
                  "app-id": 525463029,
                  "name": "test",
                  "valid-from": "2026-10-01T00:00:00Z",
                  "valid-to": null,
                  "fine": [
                    {
                      "value": 1,
                      "hours": [0, 24],
                      "any-of": [{ "name": "a", "count": { "from": 0, "to": 2 } }, { "name": "b" }]
                    }
                  ],
                  "windows": [{ "index": 2, "coarse": { "high": { "events": [] } }, "lock": { "event": "ä\\"" } }]
                }

                """)
    }
}
