import AdAttribution
import ConversionSchemes
import Money
import Testing

@Suite("Branch's mappings")
struct BranchFormatTests {
    /// What the published example means.
    private static let meaning = """
        "currency": "USD",
        "fine": [
          {"value": 0, "events": [{"name": "MOBILE_APP_INSTALL"}]},
          {"value": "1-2", "events": [{"name": "StartTrial", "revenue": "unknown"}]},
          {"value": 3, "events": [{"name": "fb_mobile_purchase", "revenue": {"from": 0, "to": 100}}]}],
        "windows": [
          {"index": 0, "lock": [{"fine": 1}, {"fine": 2}, {"fine": 3}, {"coarse": "high"}], "coarse": {
            "low": {"events": [{"name": "MOBILE_APP_INSTALL"}]},
            "high": {"any-of": [{"name": "StartTrial", "revenue": "unknown"}, {"name": "fb_mobile_purchase", "revenue": {"from": 0, "to": 100}}]}}},
          {"index": 1, "lock": {"coarse": "high"}, "coarse": {
            "low": {"events": [{"name": "MOBILE_APP_INSTALL"}]},
            "high": {"any-of": [{"name": "StartTrial", "revenue": "unknown"}, {"name": "fb_mobile_purchase", "revenue": {"from": 0, "to": 100}}]}}},
          {"index": 2, "lock": {"coarse": "high"}, "coarse": {
            "low": {"events": [{"name": "MOBILE_APP_INSTALL"}]},
            "high": {"any-of": [{"name": "StartTrial", "revenue": "unknown"}, {"name": "fb_mobile_purchase", "revenue": {"from": 0, "to": 100}}]}}}]
        """

    @Test("The published example is read with every value, event, range and lock")
    func published() throws {
        let converted = try SchemeFormat.branch.read(Fixture.bytes("branch.json"), options(currency: "USD"))
        #expect(converted.output == (try .imported(app: 1_667_996_582, Self.meaning)), "\(converted.output.canonical)")
        #expect(
            converted.lines == [
                "update: left out: a scheme has no place for it",
                "ascending-only: left out: a scheme has no place for it",
            ])
    }

    @Test("What is read from the published example is written without a loss, and reads back the same")
    func roundTrip() throws {
        let scheme = try SchemeFormat.branch.read(Fixture.bytes("branch.json"), options(currency: "USD")).output
        let written = SchemeFormat.branch.write(scheme)
        #expect(
            written.lines == ["name", "valid-from", "currency"].map { "\($0): left out: branch has no place for it" })
        #expect(try SchemeFormat.branch.readBack(scheme) == scheme)
        let text = String(decoding: written.output, as: UTF8.self)
        #expect(text.contains("{ \"app-id\": 1667996582") || text.contains("\"app-id\": 1667996582,"))
        #expect(text.contains("\"event_data.revenue\": [\"between\", 0, 100]"))
    }

    @Test("Alternatives with ranges that touch become one range; a gap between them is noted")
    func united() throws {
        func mapping(_ ranges: (Int, Int)...) -> String {
            let events = ranges.map { from, to in
                "{\"values\": {\"name\": [\"eq\", \"buy\"], \"event_data.revenue\": [\"between\", \(from), \(to)]}}"
            }
            return """
                {"app-id": 1, "mapping": {"postback-sequence-index-1": [
                {"conversion-value": "high", "conversion-event": [\(events.joined(separator: ", "))]}]}}
                """
        }
        let touching = try SchemeFormat.branch.read(mapping((10, 50), (0, 10)), options(currency: "USD"))
        #expect(touching.output.windows[1].coarse[.high]?.events.first?.revenue?.to?.text == "50")
        #expect(touching.output.windows[1].coarse[.high]?.events.first?.revenue?.from == .zero)
        #expect(touching.lines == [])
        let gap = try SchemeFormat.branch.read(mapping((0, 10), (11, 50)), options(currency: "USD"))
        #expect(
            gap.lines == [
                "mapping.postback-sequence-index-1[0].conversion-event[0]: revenue of \"buy\": several ranges became 0 to 50"
            ])
    }

    @Test("Conditions that a scheme can't say are noted with their place")
    func notes() throws {
        let converted = try SchemeFormat.branch.read(
            """
            {"app-id": 1, "mapping": {"postback-sequence-index-0": [{"conversion-value": "7", "conversion-event": [
            {"values": {"name": ["eq", "a"], "event_data.revenue": ["gt", 3], "country": ["eq", "DE"]}, "locked": true},
            {"values": {"name": ["eq", "b"]}, "locked": false}]}], "postback-sequence-index-3": []}}
            """, options())
        let event = "mapping.postback-sequence-index-0[0].conversion-event[0].values"
        #expect(
            converted.lines == [
                "\(event).event_data.revenue: left out: a condition that is not \"between\"",
                "\(event).country: left out: a scheme has no place for it",
                "mapping.postback-sequence-index-0[0]: left out: a lock by some events of the value only",
                "mapping.postback-sequence-index-3: left out: a scheme has no place for it",
            ])
        #expect(converted.output.windows[0].locks == [])
    }

    @Test("An amount above the greatest revenue is refused, and one with thousands of digits is noted in a short line")
    func amounts() throws {
        func mapping(_ to: String) -> String {
            """
            {"app-id": 1, "mapping": {"postback-sequence-index-1": [{"conversion-value": "low", "conversion-event": [
            {"values": {"name": ["eq", "buy"], "event_data.revenue": ["between", 0, \(to)]}}]}]}}
            """
        }
        let place = "mapping.postback-sequence-index-1[0].conversion-event[0].values.event_data.revenue[2]"
        #expect(
            try SchemeFormat.branch.refusal(mapping("1000000000.000001"), options(currency: "USD")) == [
                "line 2: \(place): must be a number from 0 to 1000000000 with at most six decimal places, such as 12.50, not 1000000000.000001"
            ])
        let long = "0.33333333" + String(repeating: "3", count: 9_000)
        let converted = try SchemeFormat.branch.read(mapping(long), options(currency: "USD"))
        #expect(converted.lines == ["\(place): \(long.prefix(60)) was rounded to 0.333333"])
    }

    @Test("A file of another shape is refused with its line")
    func refused() throws {
        #expect(try SchemeFormat.branch.refusal("{\"app-id\": 1}", options()) == ["line 1: mapping: is missing"])
        #expect(
            try SchemeFormat.branch.refusal(
                "{\"app-id\": 1, \"mapping\": {\n\"postback-sequence-index-1\": [{\"conversion-value\": \"7\", \"conversion-event\": []}]}}",
                options()) == [
                    "line 2: mapping.postback-sequence-index-1[0].conversion-value: must be low, medium or high, not \"7\""
                ])
        #expect(
            try SchemeFormat.branch.refusal(
                "{\"app-id\": 1, \"mapping\": {}}", options(app: 2)) == [
                    "line 1: app-id: must be the app of the file, 1, not 2"
                ])
    }

    @Test("A scheme's revenue needs a currency, which the format does not say")
    func currency() throws {
        let text = String(decoding: try Fixture.bytes("branch.json"), as: UTF8.self)
        #expect(
            try SchemeFormat.branch.refusal(text, options()) == [
                "line 1: currency: is missing, although a value has revenue"
            ])
    }
}
