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
          {"value": 63, "events": [{"name": "purchase", "revenue": {"from": 50}, "count": {"from": 2}}, {"name": "subscribe", "revenue": "unknown"}]}],
        "windows": [
          {"index": 0, "lock": {"fine": 63}, "coarse": {
            "low": {"events": [{"name": "session_start", "count": {"from": 3, "to": 9}}]},
            "medium": {"events": [{"name": "in_app_purchase", "revenue": {"from": 0.5}}]},
            "high": {"events": [{"name": "purchase", "revenue": {"from": 50}, "count": {"from": 2}}, {"name": "subscribe", "revenue": "unknown"}]}}},
          {"index": 1, "lock": {"coarse": "high"}, "coarse": {
            "low": {"events": [{"name": "session_start"}]}, "high": {"events": [{"name": "subscribe", "revenue": "unknown"}]}}},
          {"index": 2, "lock": {"coarse": "high"}, "coarse": {"low": {"events": [{"name": "session_start"}]}, "high": {"events": [{"name": "subscribe", "revenue": "unknown"}]}}}]
        """

    @Test(
        "A schema in the published shape is read: priorities end ranges, and a window that is not enabled inherits meanings and locks"
    )
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
                    "fine": [{"value": 0, "events": [{"name": "c", "revenue": "unknown"}]},
                    {"value": 5, "any-of": [{"name": "a", "revenue": "unknown"}, {"name": "b", "revenue": "unknown", "count": {"from": 2}}]}]
                    """)))
    }

    @Test("A fine value without a coarse one beside it is left out, since the API requires one, and this is noted")
    func needsCoarse() throws {
        let scheme = try ConversionScheme(
            """
            "fine": [{"value": 1, "events": [{"name": "share"}]}, {"value": 2, "events": [{"name": "login"}]}],
            "windows": [{"index": 0, "coarse": {"high": {"events": [{"name": "login"}]}}}]
            """)
        let written = SchemeFormat.ga4.write(scheme)
        let text = String(decoding: written.output, as: UTF8.self)
        // The old file had value 1 with COARSE_VALUE_UNSPECIFIED.
        #expect(
            !text.contains("UNSPECIFIED") && !text.contains("\"fineValue\": 1,") && text.contains("\"fineValue\": 2,"))
        #expect(
            written.lines.contains(
                "fine 1: ga4 needs a coarse value beside it, and window 0 has none, or more than one, that includes it")
        )
        #expect(!written.lines.contains { $0.hasPrefix("fine 2") })
    }

    @Test(
        "A window that inherits has the lock of a coarse value, unless only some of its conditions lock: this is noted")
    func inheritedLocks() throws {
        func entry(_ fine: Int, _ coarse: String, _ event: String, _ locked: Bool) -> String {
            """
            {"fineValue": \(fine), "coarseValue": "COARSE_VALUE_\(coarse)", "lockEnabled": \(locked),
             "eventMappings": [{"eventName": "\(event)", "minEventCount": "1"}]}
            """
        }
        let converted = try SchemeFormat.ga4.read(
            """
            {"postbackWindowOne": {"postbackWindowSettingsEnabled": true, "conversionValues": [
            \(entry(9, "HIGH", "subscribe", true)), \(entry(5, "MEDIUM", "purchase", true)),
            \(entry(4, "MEDIUM", "login", false)), \(entry(1, "LOW", "share", false))]}}
            """, options(app: 1))
        // The old locks of windows 1 and 2: none, and no note.
        let expected: [[LockTrigger]] = [
            [ConversionValue(5), ConversionValue(9)].compactMap(\.self).map { .fine($0) }, [.coarse(.high)],
            [.coarse(.high)],
        ]
        #expect(converted.output.windows.map(\.locks) == expected)
        let place = "postbackWindowOne.conversionValues[1]"
        #expect(
            converted.lines
                == [1, 2].map {
                    "\(place): left out: a lock of window \($0) by some conditions of the coarse value medium only"
                })
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
