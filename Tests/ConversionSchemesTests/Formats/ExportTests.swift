import AdAttribution
import ConversionSchemes
import TestSupport
import Testing

@Suite("Exports of schemes")
struct ExportTests {
    /// What each format can't say of the example.
    private static let lost: [SchemeFormat: [String]] = [
        .googleAds: [
            "name: left out: google-ads has no place for it", "valid-from: left out: google-ads has no place for it",
            "window 0 medium: left out: the format can't say its meaning",
        ],
        .ga4: [
            "app-id: left out: ga4 has no place for it", "name: left out: ga4 has no place for it",
            "valid-from: left out: ga4 has no place for it", "currency: left out: ga4 has no place for it",
            "measurement-window-hours: left out: ga4 has no place for it",
            "fine 0: left out: the format can't say its meaning",
            "fine 6: ga4 needs a coarse value beside it, and window 0 has none, or more than one, that includes it",
        ],
        .meta: [
            "app-id: left out: meta has no place for it", "name: left out: meta has no place for it",
            "valid-from: left out: meta has no place for it",
            "fine 2: count of \"purchase\", 1 to 3, becomes 1 or more", "fine 2: hours, 0 to 24, become none",
            "fine 3: count of \"purchase\", 1 to 3, becomes 1 or more", "fine 3: hours, 0 to 24, become none",
            "fine 4: hours, 0 to 24, become none", "fine 5: hours, 0 to 24, become none",
            "fine 6: revenue of \"subscribe\", exactly 9.99, becomes unknown",
            "fine 6: count of \"subscribe\", exactly 1, becomes 0 or more", "fine 6: hours, 24 to 48, become none",
            "fine 2: revenue of \"purchase\": exactly 0.99 is left out, since the SDK wants more than a threshold",
            "window 0 medium: revenue of \"purchase\": exactly 0.99 is left out, since the SDK wants more than a threshold",
            "fine 6: the SDK does not ask for \"subscribe\", since it stops at the first event with an amount",
        ],
        .tiktok: [
            "app-id: left out: tiktok has no place for it", "name: left out: tiktok has no place for it",
            "valid-from: left out: tiktok has no place for it",
            "measurement-window-hours: left out: tiktok has no place for it",
            "fine 2: count of \"purchase\", 1 to 3, becomes 1 or more",
            "fine 2: revenue of \"purchase\": exactly 0.99 is left out, since the SDK wants more than a threshold",
            "fine 6: revenue of \"subscribe\": exactly 9.99 is left out, since the SDK wants more than a threshold",
            "fine 6: revenue of \"subscribe\": the end at 9.99 is left out, since the SDK does not look at it, and no higher value begins there",
        ],
        .branch: [
            "name: left out: branch has no place for it", "fine 6: left out: the format can't say its meaning",
            "fine 5: revenue of \"purchase\", 20 or more, becomes unknown",
            "window 0 lock: left out: the event \"subscribe\"",
        ],
    ]

    @Test("What a format can't say of the example is noted", arguments: SchemeFormat.allCases)
    func noted(_ format: SchemeFormat) throws {
        let scheme = try SchemeFile.read(try TestEnvironment.file("examples/scheme.json"))
        let lines = format.write(scheme).lines
        for line in try #require(Self.lost[format]) {
            #expect(lines.contains(line), "\(line)\n\(lines.joined(separator: "\n"))")
        }
        #expect(!lines.contains { $0.contains("can't be read back") })
    }

    @Test("Of the example nothing else is lost than what is noted", arguments: SchemeFormat.allCases)
    func nothingElse(_ format: SchemeFormat) throws {
        try expectNothingElse(format, try SchemeFile.read(try TestEnvironment.file("examples/scheme.json")))
    }

    /// The published examples, each in the format of its owner.
    private static let published: [(format: SchemeFormat, file: String)] = [
        (.googleAds, "google-ads"), (.ga4, "ga4"), (.tiktok, "tiktok"), (.branch, "branch"), (.meta, "meta-events"),
        (.meta, "meta-rules"), (.meta, "meta-currencies"), (.meta, "meta-coarse"), (.meta, "meta-lock-time"),
        (.meta, "meta-lock-events"),
    ]

    @Test(
        "Of each published example nothing else is lost than what is noted, in its own format and in any other one",
        arguments: published.indices, SchemeFormat.allCases)
    func publishedExamples(_ index: Int, _ format: SchemeFormat) throws {
        let (owner, file) = Self.published[index]
        let app: Int64? = owner == .googleAds || owner == .branch ? nil : 525_463_029
        let bytes = try Fixture.bytes("\(file).json")
        try expectNothingElse(format, try owner.read(bytes, options(app: app, currency: "USD")).output)
    }

    /// Expects that a scheme reads back the same from an export, but for the values and windows that a note names.
    private func expectNothingElse(_ format: SchemeFormat, _ scheme: ConversionScheme) throws {
        let written = format.write(scheme)
        let noted = Set(written.notes.map(\.place))
        let read = try format.read(written.output, options(app: scheme.appID.value, currency: "USD")).output
        let meanings = Dictionary(uniqueKeysWithValues: read.fineMeanings.map { ($0.value, $0.meaning) })
        for (value, meaning) in scheme.fineMeanings where !noted.contains("fine \(value)") {
            #expect(meanings[value] == meaning, "fine \(value)")
        }
        for window in 0...2 {
            for value in ["low", "medium", "high"] where !noted.contains("window \(window) \(value)") {
                let key = try #require(CoarseConversionValue(rawValue: value))
                #expect(
                    read.windows[window].coarse[key] == scheme.windows[window].coarse[key], "window \(window) \(value)")
            }
            if !noted.contains("window \(window) lock") {
                #expect(read.windows[window].locks == scheme.windows[window].locks)
            }
        }
    }

    @Test("A scheme of bits is written as the values that the bits generate", arguments: [SchemeFormat.googleAds])
    func bits(_ format: SchemeFormat) throws {
        let scheme = try SchemeFile.read(try TestEnvironment.file("examples/scheme-bits.json"))
        let written = format.write(scheme)
        #expect(written.lines.contains("bits: written as the 40 values that they generate"))
        #expect(written.lines.contains("valid-to: left out: google-ads has no place for it"))
        // That a bucket from 0 needs no purchase can't be said.
        #expect(written.lines.contains("fine 0: count of \"purchase\", 0 or more, becomes 1 or more"))
        let read = try format.read(written.output, options()).output
        #expect(read.fineMeanings.map(\.value) == scheme.fineMeanings.map(\.value))
        for (one, other) in zip(read.fineMeanings, scheme.fineMeanings) {
            #expect(one.meaning.hours == other.meaning.hours)
            #expect(one.meaning.events.map(\.revenue) == other.meaning.events.map(\.revenue))
        }
    }

    @Test(
        "Unknown revenue is written as each format says any revenue, and reads back; none of an own event becomes unknown",
        arguments: SchemeFormat.allCases)
    func unknown(_ format: SchemeFormat) throws {
        let scheme = try ConversionScheme(
            """
            "fine": [{"value": 1, "events": [{"name": "gift", "revenue": "unknown"}]}, {"value": 2, "events": [{"name": "mine"}]}],
            "windows": [{"index": 0, "coarse": {"low": {"events": [{"name": "gift", "revenue": "unknown"}]},
                                                "high": {"events": [{"name": "mine"}]}}}]
            """)
        let written = format.write(scheme)
        #expect(!written.lines.contains { $0.contains("gift") }, "\(written.lines)")
        #expect(written.lines.contains("fine 2: revenue of \"mine\", none, becomes unknown"))
        let read = try format.read(written.output, options(app: scheme.appID.value)).output
        #expect(read.fineMeanings.map { $0.meaning.events.first?.revenue } == [.unknown, .unknown])
        #expect(read.currency == nil)
    }

    @Test("An import takes validity, name, currency and hours from the operator")
    func operatorSays() throws {
        let converted = try SchemeFormat.tiktok.read(
            Fixture.bytes("tiktok.json"),
            options(app: 7) { options in
                options.validTo = SchemeTime("2026-12-01T00:00:00Z")
                options.measurementWindowHours = 24
            })
        #expect(converted.output.validity.to?.text == "2026-12-01T00:00:00Z")
        #expect(converted.output.measurementWindowHours == 24 && converted.output.appID.value == 7)
        #expect(
            try SchemeFormat.tiktok.refusal(
                "{\"postbacks\": []}", options(app: 7) { $0.validTo = SchemeTime("2026-09-01T00:00:00Z") }) == [
                    "line 1: valid-to: must be later than valid-from (2026-10-01T00:00:00Z), not 2026-09-01T00:00:00Z"
                ])
    }
}
