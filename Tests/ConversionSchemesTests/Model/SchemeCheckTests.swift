import AdAttribution
import ConversionSchemes
import Testing

@Suite("Checks of a scheme")
struct SchemeCheckTests {
    private func fine(_ entries: String...) -> String {
        "\"currency\": \"USD\", \"fine\": [\(entries.joined(separator: ",\n"))]"
    }

    private func purchase(_ value: String, _ from: String, _ to: String, _ more: String = "", hours: String = "")
        -> String
    {
        let end = to.isEmpty ? "" : ", \"to\": \(to)"
        return """
            {"value": \(value)\(hours), "events": [{"name": "purchase", "revenue": {"from": \(from)\(end)}\(more)}]}
            """
    }

    @Test("A value stands in the scheme at most once, listed or generated")
    func once() throws {
        #expect(
            try refusal(
                ConversionScheme.text(fine("{\"value\": \"1-5\", \"events\": []}", "{\"value\": 5, \"events\": []}")))
                == [
                    "line 4: fine[1].value: has the value 5, which fine[0] (line 3) has already"
                ])
        let bits = "\"bits\": [{\"bits\": \"0-1\", \"kind\": \"event\", \"events\": [\"a\", \"b\"]}]"
        #expect(
            try refusal(ConversionScheme.text("\"fine\": [{\"value\": 3, \"events\": []}], \(bits)")) == [
                "line 3: fine[0].value: has the value 3, which bits[0] (line 3) has already"
            ])
        #expect(try ConversionScheme("\"fine\": [{\"value\": 4, \"events\": []}], \(bits)").unmapped == [5...63])
    }

    @Test("The events of a value bring at most 1,000,000,000 together, by their upper ends or else by their lower ones")
    func greatestRevenue() throws {
        let rule = "the revenue of its events together must be at most 1000000000"
        func events(_ first: String, _ second: String, _ name: String = "events") -> String {
            #""\#(name)": [{"name": "a", "revenue": \#(first)}, {"name": "b", "revenue": \#(second)}]"#
        }
        let half = #"{"from": 0, "to": 500000000}"#
        for good in [half, #"{"from": 9}"#, #"{"from": 500000000}"#] {
            #expect(throws: Never.self) { try ConversionScheme(fine("{\"value\": 1, \(events(half, good))}")) }
        }
        for (first, second) in [
            (half, #"{"from": 0, "to": 500000000.000001}"#), (half, #"{"from": 500000001}"#),
            (#"{"from": 1000000000}"#, #"{"from": 0.000001, "to": 1}"#),
        ] {
            for name in ["events", "any-of"] {
                let entry = "{\"value\": \"2-4\", \(events(first, second, name))}"
                #expect(
                    try refusal(ConversionScheme.text(fine(entry))) == ["line 3: fine[0]: value 2-4: \(rule)"])
            }
        }
        let coarse = "{\"index\": 1, \"coarse\": {\"low\": {\(events(half, #"{"from": 600000000}"#))}}}"
        #expect(
            try refusal(ConversionScheme.text("\"currency\": \"USD\", \"windows\": [\(coarse)]"))
                == ["line 3: windows[0].coarse.low: value low: \(rule)"])
        let bits = [0, 1].map {
            #"{"bits": \#($0), "kind": "revenue", "event": "e\#($0)", "buckets": [0, 600000000]}"#
        }
        #expect(
            try refusal(
                ConversionScheme.text("\"currency\": \"USD\", \"bits\": [\(bits.joined(separator: ","))]"))
                == (0...3).map { "line 3: bits[0]: value \($0): \(rule)" })
    }

    @Test("Revenue ranges of one event do not overlap; they may touch, be equal, or differ in hours")
    func revenue() throws {
        #expect(
            try refusal(ConversionScheme.text(fine(purchase("1", "1", "5"), purchase("2", "4.99", "10")))) == [
                "line 4: fine[1]: value 2: the revenue of \"purchase\" overlaps that of value 1 (line 3), and nothing else tells the two apart"
            ])
        #expect(try refusal(ConversionScheme.text(fine(purchase("1", "1", ""), purchase("2", "4", "10")))).count == 1)
        #expect(try refusal(ConversionScheme.text(fine(purchase("1", "1", "5"), purchase("2", "2", "2")))).count == 1)
        for good in [
            fine(purchase("1", "1", "5"), purchase("2", "5", "10"), purchase("3", "10", "")),
            fine(purchase("1", "1", "5"), purchase("9", "1", "5")),
            fine(
                purchase("1", "1", "5", hours: ", \"hours\": [0, 24]"),
                purchase("2", "4", "10", hours: ", \"hours\": [24, 48]")),
            fine(
                purchase("1", "1", "5", ", \"count\": {\"from\": 1, \"to\": 1}"),
                purchase("2", "4", "10", ", \"count\": {\"from\": 2}")),
            fine(
                purchase("1", "1", "5"),
                "{\"value\": 2, \"events\": [{\"name\": \"purchase\", \"revenue\": {\"from\": 4}}, {\"name\": \"subscribe\"}]}"
            ),
        ] {
            #expect(throws: Never.self) { try ConversionScheme(good) }
        }
    }

    @Test("Count ranges of one event do not overlap, not even in one number")
    func count() throws {
        func times(_ value: Int, _ from: Int, _ to: Int) -> String {
            "{\"value\": \(value), \"events\": [{\"name\": \"level\", \"count\": {\"from\": \(from), \"to\": \(to)}}]}"
        }
        #expect(
            try refusal(ConversionScheme.text(fine(times(1, 1, 3), times(2, 3, 5)))) == [
                "line 4: fine[1]: value 2: the count of \"level\" overlaps that of value 1 (line 3), and nothing else tells the two apart"
            ])
        #expect(throws: Never.self) { try ConversionScheme(fine(times(1, 1, 2), times(2, 3, 5))) }
    }

    @Test("Coarse values are checked within their window only")
    func windows() throws {
        let low = "{\"events\": [{\"name\": \"purchase\", \"revenue\": {\"from\": 0, \"to\": 10}}]}"
        let high = "{\"events\": [{\"name\": \"purchase\", \"revenue\": {\"from\": 9}}]}"
        func text(_ windows: String) -> String { "\"currency\": \"USD\", \"windows\": [\(windows)]" }
        #expect(
            try refusal(ConversionScheme.text(text("{\"index\": 1, \"coarse\": {\"low\": \(low), \"high\": \(high)}}")))
                == [
                    "line 3: windows[0].coarse.high: value high: the revenue of \"purchase\" overlaps that of value low (line 3), and nothing else tells the two apart"
                ])
        #expect(throws: Never.self) {
            try ConversionScheme(
                text("{\"index\": 1, \"coarse\": {\"low\": \(low)}}, {\"index\": 2, \"coarse\": {\"high\": \(high)}}"))
        }
    }

    @Test("Values without a meaning are listed")
    func unmapped() throws {
        let scheme = try ConversionScheme(
            "\"fine\": [{\"value\": \"1-9\", \"events\": []}, {\"value\": 11, \"events\": []}], \"windows\": [{\"index\": 1, \"coarse\": {\"medium\": {\"events\": []}}}]"
        )
        #expect(scheme.unmapped == [0...0, 10...10, 12...63])
        #expect(scheme.unmappedCoarse(0) == [] && scheme.unmappedCoarse(1) == [.low, .high])
    }

    @Test("Values with unknown revenue are listed: an event that brought any, or one of several with an open range")
    func unknownRevenue() throws {
        let scheme = try ConversionScheme(
            """
            "currency": "USD", "fine": [
            {"value": "1-2", "events": [{"name": "a", "revenue": "unknown"}, {"name": "b"}]},
            {"value": 3, "any-of": [{"name": "a", "revenue": {"from": 5}}, {"name": "b"}]},
            {"value": 4, "events": [{"name": "a", "revenue": {"from": 5}}, {"name": "b"}]},
            {"value": 5, "any-of": [{"name": "c", "revenue": {"from": 5, "to": 6}}, {"name": "b"}]}],
            "windows": [{"index": 2, "coarse": {"high": {"events": [{"name": "a", "revenue": "unknown"}]}}}]
            """)
        #expect(
            scheme.notices.filter { $0.contains("revenue") } == [
                "fine values with unknown revenue: 1-3", "coarse values of window 2 with unknown revenue: high",
            ])
    }
}
