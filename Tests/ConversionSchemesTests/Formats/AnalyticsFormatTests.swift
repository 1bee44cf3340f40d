import AdAttribution
import ConversionSchemes
import Testing

@Suite("Google Analytics' schemas")
struct AnalyticsFormatTests {
    private static let meaning = """
        "currency": "USD",
        "fine": [
          {"value": 1, "events": [{"name": "session_start", "count": {"from": 3, "to": 9}}]},
          {"value": 10, "events": [{"name": "in_app_purchase", "revenue": {"from": 0.5, "to": 10}}]},
          {"value": 20, "events": [{"name": "in_app_purchase", "revenue": {"from": 10}}]},
          {"value": 63, "events": [{"name": "purchase", "revenue": {"from": 50}, "count": {"from": 2}}, {"name": "subscribe"}]}],
        "windows": [
          {"index": 0, "lock": {"fine": 63}, "coarse": {
            "low": {"events": [{"name": "session_start", "count": {"from": 3, "to": 9}}]},
            "medium": {"events": [{"name": "in_app_purchase", "revenue": {"from": 0.5}}]},
            "high": {"events": [{"name": "purchase", "revenue": {"from": 50}, "count": {"from": 2}}, {"name": "subscribe"}]}}},
          {"index": 1, "lock": {"coarse": "high"}, "coarse": {
            "low": {"events": [{"name": "session_start"}]}, "high": {"events": [{"name": "subscribe"}]}}},
          {"index": 2, "coarse": {"low": {"events": [{"name": "session_start"}]}, "high": {"events": [{"name": "subscribe"}]}}}]
        """

    @Test("A schema in the published shape is read: priorities end ranges, and a window that is not enabled inherits")
    func published() throws {
        let converted = try SchemeFormat.ga4.read(Fixture.bytes("ga4.json"), options(app: 525_463_029, currency: "USD"))
        #expect(converted.output == (try .imported(Self.meaning)), "\(converted.output.canonical)")
        #expect(
            converted.lines == [
                "postbackWindowOne.conversionValues[0].displayName: left out: a scheme has no place for it",
                "applyConversionValues: left out: a scheme has no place for it",
            ])
    }

    @Test("What is read from it is written without a loss, and reads back the same")
    func roundTrip() throws {
        let scheme = try SchemeFormat.ga4.read(Fixture.bytes("ga4.json"), options(app: 525_463_029, currency: "USD"))
            .output
        #expect(
            SchemeFormat.ga4.write(scheme).lines
                == ["app-id", "name", "valid-from", "currency"].map { "\($0): left out: ga4 has no place for it" })
        #expect(try SchemeFormat.ga4.readBack(scheme) == scheme)
    }

    @Test("If only the first window is set, the other two inherit from it")
    func inherited() throws {
        let converted = try SchemeFormat.ga4.read(
            """
            {"postback_window_one": {"conversion_values": [{"fine_value": 5, "coarse_value": "COARSE_VALUE_HIGH",
            "event_mappings": [{"event_name": "a", "min_event_count": 1}]}], "postback_window_settings_enabled": true}}
            """, options(app: 1))
        #expect(converted.output.windows[0].coarse == converted.output.windows[1].coarse)
        #expect(converted.output.windows[0].coarse == converted.output.windows[2].coarse)
        #expect(converted.output.windows[0].coarse.count == 1)
    }

    @Test("Several entries of one value are alternatives")
    func alternatives() throws {
        let converted = try SchemeFormat.ga4.read(
            """
            {"postbackWindowOne": {"postbackWindowSettingsEnabled": true, "conversionValues": [
            {"fineValue": 5, "coarseValue": "COARSE_VALUE_UNSPECIFIED", "eventMappings": [{"eventName": "a", "minEventCount": "1"}]},
            {"fineValue": 5, "coarseValue": "COARSE_VALUE_UNSPECIFIED", "eventMappings": [{"eventName": "b", "minEventCount": "2"}]},
            {"coarseValue": "COARSE_VALUE_UNSPECIFIED", "eventMappings": [{"eventName": "c", "minEventCount": "1"}]}]}}
            """, options(app: 525_463_029))
        #expect(
            converted.output
                == (try .imported(
                    """
                    "fine": [{"value": 0, "events": [{"name": "c"}]},
                    {"value": 5, "any-of": [{"name": "a"}, {"name": "b", "count": {"from": 2}}]}]
                    """)))
        #expect(try SchemeFormat.ga4.readBack(converted.output) == converted.output)
    }

    @Test("A schema of another shape is refused with its line")
    func refused() throws {
        #expect(
            try SchemeFormat.ga4.refusal(
                """
                {"postbackWindowOne": {"conversionValues": [{"fineValue": 64, "coarseValue": "HIGH", "eventMappings": [
                {"minEventCount": "1"},
                {"eventName": "a", "minEventCount": "3", "maxEventCount": "1"}]}]}}
                """, options(app: 1)) == [
                    "line 1: postbackWindowOne.conversionValues[0].coarseValue: must be COARSE_VALUE_LOW, COARSE_VALUE_MEDIUM or COARSE_VALUE_HIGH, not \"HIGH\"",
                    "line 1: postbackWindowOne.conversionValues[0].fineValue: must be an integer from 0 to 63, not 64",
                    "line 2: postbackWindowOne.conversionValues[0].eventMappings[0].eventName: is missing",
                    "line 3: postbackWindowOne.conversionValues[0].eventMappings[1]: must be an event whose maxima are not below its minima, not an object",
                ])
    }
}
