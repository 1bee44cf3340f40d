import AdAttribution
import ConversionSchemes
import Testing

@Suite("TikTok's configurations")
struct TikTokFormatTests {
    private static let meaning = """
        "currency": "USD",
        "fine": [
          {"value": 0, "events": [{"name": "LaunchAPP"}]}, {"value": 1, "events": [{"name": "InAppADImpr", "revenue": "unknown"}]},
          {"value": 2, "events": [{"name": "InAppADClick", "revenue": "unknown"}]}],
        "windows": [
          {"index": 0, "coarse": {
            "low": {"events": [{"name": "AppInstall"}]},
            "medium": {"events": [{"name": "Purchase", "revenue": {"from": 0, "to": 3}}]},
            "high": {"events": [{"name": "Purchase", "revenue": {"from": 3, "to": 100}}]}}},
          {"index": 1, "coarse": {"high": {"events": [{"name": "Checkout", "revenue": "unknown"}]}}}]
        """

    @Test("The configuration of the SDK's tests is read with every value, event and range")
    func published() throws {
        let converted = try SchemeFormat.tiktok.read(Fixture.bytes("tiktok.json"), options(app: 525_463_029))
        #expect(converted.output == (try .imported(Self.meaning)), "\(converted.output.canonical)")
        // TikTok's own numbers and names of the seven events.
        #expect(converted.notes.count == 14)
        #expect(converted.notes.allSatisfy { $0.place.hasSuffix(".event_name") || $0.place.hasSuffix(".event_value") })
        #expect(
            converted.lines.first
                == "postbacks[0].fine[0].event_funnel[0].event_name: left out: a scheme has no place for it")
    }

    @Test("A validity that is given with an import is checked like that of a file")
    func validity() throws {
        let wrong = try options(app: 525_463_029) { $0.validTo = SchemeTime("2026-10-02T00:00:01Z") }
        #expect(
            try SchemeFormat.tiktok.refusal(String(decoding: Fixture.bytes("tiktok.json"), as: UTF8.self), wrong) == [
                "line 1: valid-to: must be a full quarter of an hour, such as 2026-10-01T00:15:00Z, "
                    + "not 2026-10-02T00:00:01Z"
            ])
    }

    @Test(
        "What is read from it reads back the same; amounts of exactly a threshold are lost, and an end that no value sets"
    )
    func roundTrip() throws {
        let scheme = try SchemeFormat.tiktok.read(Fixture.bytes("tiktok.json"), options(app: 525_463_029)).output
        #expect(
            SchemeFormat.tiktok.write(scheme).lines
                == ["app-id", "name", "valid-from"].map { "\($0): left out: tiktok has no place for it" }
                + [("medium", 0), ("high", 3)].map {
                    "window 0 \($0): revenue of \"Purchase\": exactly \($1) is left out, since the SDK wants more than a threshold"
                } + [
                    "window 0 high: revenue of \"Purchase\": the end at 100 is left out, since the SDK does not look at it, and no higher value begins there"
                ])
        #expect(try SchemeFormat.tiktok.readBack(scheme) == scheme)
    }

    @Test("A greatest revenue of 0 below a least one is no end; a funnel needs all of its events")
    func open() throws {
        let converted = try SchemeFormat.tiktok.read(
            """
            {"currency": "EUR", "postbacks": [{"postback_index": 0, "fine": [{"conversion_value": 9, "event_funnel": [
            {"event_name_report": "Purchase", "revenue_min": 5.5, "revenue_max": 0}, {"event_name_report": "Login"}]}]}]}
            """, options(app: 1))
        #expect(
            converted.output
                == (try .imported(
                    app: 1,
                    "\"currency\": \"EUR\", \"fine\": [{\"value\": 9, \"events\": [{\"name\": \"Login\"}, {\"name\": \"Purchase\", \"revenue\": {\"from\": 5.5}}]}]"
                )))
        #expect(converted.lines == [])
    }

    @Test("An event with any revenue ends where the threshold of a higher value begins, as the SDK tries them")
    func anyRevenue() throws {
        let converted = try SchemeFormat.tiktok.read(
            """
            {"currency": "USD", "postbacks": [{"postback_index": 0, "coarse": [
            {"conversion_value": "low", "event_funnel": [{"event_name_report": "Checkout", "revenue_min": 0, "revenue_max": 0}]},
            {"conversion_value": "medium", "event_funnel": [{"event_name_report": "Purchase", "revenue_min": 0, "revenue_max": 0}]},
            {"conversion_value": "high", "event_funnel": [{"event_name_report": "Purchase", "revenue_min": 7, "revenue_max": 9}]}]}]}
            """, options(app: 1))
        // The old meanings of low and medium: no revenue.
        #expect(
            converted.output
                == (try .imported(
                    app: 1,
                    """
                    "currency": "USD", "windows": [{"index": 0, "coarse": {
                    "low": {"events": [{"name": "Checkout", "revenue": "unknown"}]},
                    "medium": {"events": [{"name": "Purchase", "revenue": {"from": 0, "to": 7}}]},
                    "high": {"events": [{"name": "Purchase", "revenue": {"from": 7, "to": 9}}]}}}]
                    """)),
            "\(converted.output.canonical)")
        #expect(converted.lines == [])
    }

    @Test("Fine values of later windows are noted, and a wrong value or range is refused with its place")
    func wrong() throws {
        let later = try SchemeFormat.tiktok.read(
            "{\"postbacks\": [{\"postback_index\": 1, \"fine\": [{}], \"coarse\": []}]}", options(app: 1))
        #expect(later.lines == ["postbacks[0].fine: left out: window 1 is coarse only"])
        #expect(
            try SchemeFormat.tiktok.refusal(
                """
                {"currency": "USD", "postbacks": [{"postback_index": 0, "fine": [{"conversion_value": "64"}],
                "coarse": [{"conversion_value": "top", "event_funnel": [
                {"event_name_report": "a", "revenue_min": 5, "revenue_max": 2}]}]}]}
                """, options(app: 1, currency: "EUR")) == [
                    "line 1: scheme: the currency must be that of the file, USD, not EUR",
                    "line 1: postbacks[0].fine[0].conversion_value: must be an integer from 0 to 63, not \"64\"",
                    "line 2: postbacks[0].coarse[0].conversion_value: must be low, medium or high, not \"top\"",
                    "line 3: postbacks[0].coarse[0].event_funnel[0]: must be an event whose revenue_max is 0 or not below its revenue_min, not an object",
                ])
        #expect(
            try SchemeFormat.tiktok.refusal("{\"postbacks\": []}", options()) == [
                "line 1: app-id: must be given, since the file does not say it"
            ])
    }
}
