import AdAttribution
import ConversionSchemes
import Testing

@Suite("Google Ads' schemas")
struct GoogleAdsFormatTests {
    private static let meaning = """
        "currency": "USD", "measurement-window-hours": 48,
        "fine": [
          {"value": 0, "events": []},
          {"value": 1, "hours": [0, 24], "events": [{"name": "level_up", "count": {"from": 5, "to": 5}},
            {"name": "purchase", "revenue": {"from": 0.99, "to": 4.99}, "count": {"from": 1, "to": 3}}]},
          {"value": 2, "events": [{"name": "subscribe", "revenue": {"from": 9.99, "to": 9.99}}]}],
        "windows": [
          {"index": 0, "lock": {"fine": 2}, "coarse": {
            "low": {"events": [{"name": "session_start"}]},
            "high": {"events": [{"name": "purchase", "revenue": {"from": 5}}]}}},
          {"index": 1, "lock": {"coarse": "medium"}, "coarse": {"medium": {"events": [{"name": "subscribe", "revenue": "unknown"}]}}},
          {"index": 2, "lock": {"event": "subscribe"}}]
        """

    @Test(
        "A schema in the published shape is read with every member, in camel case and in snake case",
        arguments: ["google-ads", "google-ads-snake"])
    func published(_ file: String) throws {
        let converted = try SchemeFormat.googleAds.read(Fixture.bytes("\(file).json"), options())
        #expect(converted.output == (try .imported(Self.meaning)), "\(converted.output.canonical)")
        #expect(converted.lines == [])
    }

    @Test("What is read from it is written without a loss, and reads back the same")
    func roundTrip() throws {
        let scheme = try SchemeFormat.googleAds.read(Fixture.bytes("google-ads.json"), options()).output
        let written = SchemeFormat.googleAds.write(scheme)
        #expect(written.lines == ["name", "valid-from"].map { "\($0): left out: google-ads has no place for it" })
        #expect(try SchemeFormat.googleAds.read(written.output, options()).output == scheme)
    }

    @Test("It is written with protobuf's names, and 64-bit integers are texts")
    func text() throws {
        let scheme = try ConversionScheme.imported(
            """
            "currency": "USD", "fine": [{"value": 7, "hours": [0, 24], "events": [
            {"name": "buy", "revenue": {"from": 0.5, "to": 1}, "count": {"from": 2, "to": 3}}]}]
            """)
        #expect(
            String(decoding: SchemeFormat.googleAds.write(scheme).output, as: UTF8.self) == """
                {
                  "schema": {
                    "appId": "525463029",
                    "fineGrainedConversionValueMappings": [
                      {
                        "fineGrainedConversionValue": 7,
                        "conversionValueMapping": {
                          "minTimePostInstallHours": "0",
                          "maxTimePostInstallHours": "24",
                          "mappedEvents": [
                            {
                              "mappedEventName": "buy",
                              "currencyCode": "USD",
                              "eventRevenueRange": { "minEventRevenue": 0.5, "maxEventRevenue": 1 },
                              "eventOccurrenceRange": { "minEventCount": "2", "maxEventCount": "3" }
                            }
                          ]
                        }
                      }
                    ]
                  }
                }

                """)
    }

    @Test("0 is unset in ranges, members that a scheme can't say are noted, and so is revenue in another currency")
    func notes() throws {
        let converted = try SchemeFormat.googleAds.read(
            """
            {"appId": 525463029, "fineGrainedConversionValueMappings": [
            {"fineGrainedConversionValue": 3, "note": 1, "conversionValueMapping": {"minTimePostInstallHours": 3, "mappedEvents": [
            {"mappedEventName": "a", "currencyCode": "USD", "eventRevenueRange": {"minEventRevenue": 0, "maxEventRevenue": 0}},
            {"mappedEventName": "b", "currencyCode": "EUR", "eventRevenueValue": 4},
            {"mappedEventName": "c", "eventRevenueValue": 4.98999999999, "eventOccurrenceRange": {"minEventCount": 0, "maxEventCount": "2"}}]}}],
            "postbackMappings": [{"lockWindowCoarseConversionValue": "NONE"}]}
            """, options())
        #expect(
            converted.output
                == (try .imported(
                    """
                    "currency": "USD", "fine": [{"value": 3, "events": [{"name": "a", "revenue": "unknown"}, {"name": "b", "revenue": "unknown"},
                    {"name": "c", "revenue": {"from": 4.99, "to": 4.99}, "count": {"from": 1, "to": 2}}]}]
                    """)),
            "\(converted.output.canonical)")
        let mapping = "fineGrainedConversionValueMappings[0]"
        #expect(
            converted.lines == [
                "\(mapping).conversionValueMapping.minTimePostInstallHours: left out: hours without an upper end",
                "\(mapping).conversionValueMapping.mappedEvents[1].currencyCode: the event's revenue is unknown: the scheme's currency is USD",
                "\(mapping).conversionValueMapping.mappedEvents[2].eventRevenueValue: 4.98999999999 was rounded to 4.99",
                "\(mapping).note: left out: a scheme has no place for it",
                "postbackMappings[0].lockWindowCoarseConversionValue: left out: it is no value that an app can set",
            ])
    }

    @Test("A schema of another shape is refused with its line")
    func refused() throws {
        #expect(
            try SchemeFormat.googleAds.refusal(
                """
                {"appId": "x", "fineGrainedConversionValueMappings": [{"fineGrainedConversionValue": 64},
                {"conversionValueMapping": {"mappedEvents": [{}, {"mappedEventName": "a", "eventRevenueRange":
                {"minEventRevenue": 5, "maxEventRevenue": 2}}]}}]}
                """, options(app: 1)) == [
                    "line 1: appId: must be an integer from 0 to 9223372036854775807, not \"x\"",
                    "line 1: fineGrainedConversionValueMappings[0].fineGrainedConversionValue: must be an integer from 0 to 63, not 64",
                    "line 2: fineGrainedConversionValueMappings[1].conversionValueMapping.mappedEvents[0]: has no mappedEventName",
                    "line 2: fineGrainedConversionValueMappings[1].conversionValueMapping.mappedEvents[1].eventRevenueRange: must be a range whose end is not below its beginning, not an object",
                ])
    }
}
