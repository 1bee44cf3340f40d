import AdAttribution
import CampaignData
import ConversionSchemes
import PostgresClient
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore

/// Cases in which an install could lie outside its interval, each with what was shown before.
@Suite(
    "The interval of an install, by postbacks made by hand",
    .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct InstallBoundTests {
    private let keys: TestKeys
    private let store = PostbackStore.current
    private let database = TestDatabase.current

    init() throws {
        keys = try TestKeys()
    }

    /// What the postbacks say in the order of arrival: the hours since the install, and what decides them.
    private static let answers = """
        SELECT sequence_index AS window, value, may_have_locked AS locks, decoding, no_value_kind, complete,
               round(extract(epoch FROM received_at - install_low) / 3600, 2) AS most,
               round(extract(epoch FROM received_at - install_at) / 3600, 2) AS estimate,
               round(extract(epoch FROM received_at - install_high) / 3600, 2) AS least
          FROM attribution.postback_answer
         ORDER BY received_at
        """

    /// Loads a scheme; these are its members beside app and name.
    private func load(_ members: String) async throws {
        _ = try await store.load([try SchemeFile.read(Array("{\"app-id\":525463029,\"name\":\"a\",\(members)}".utf8))])
    }

    private func moment(_ text: String) throws -> PostgresTimestamp {
        PostgresTimestamp(try #require(SchemeTime(text)))
    }

    private func record(_ body: [UInt8], at moment: PostgresTimestamp) async throws {
        for result in await store.record([PostbackDelivery(try keys.verified(body), receivedAt: moment)]) {
            _ = try result.get()
        }
    }

    /// Records a postback of SKAdNetwork without a source, so that a missing value is withheld.
    private func receive(
        _ version: String, at text: String, development: Bool = false, _ change: (inout TestPostback) -> Void = { _ in }
    ) async throws {
        let isOld = version <= "2.0"
        let key = isOld ? keys.postbackKey : keys.postbackKeyP256
        let developmentKey = isOld ? keys.developmentKey : keys.developmentKeyP256
        let body = try TestPostback {
            ($0.version, $0.sourceAppID, $0.sourceIdentifier) = (version, nil, "39")
            change(&$0)
        }.body(development ? developmentKey : key)
        try await record(body, at: try moment(text))
    }

    /// Records a postback of AdAttributionKit.
    private func receiveKit(
        at text: String, development: Bool = false, _ change: (inout TestAdAttributionKitPostback) -> Void
    ) async throws {
        let body = try TestAdAttributionKitPostback {
            if development { $0.keyID = TestKeys.developmentKeyName }
            change(&$0)
        }.body(development ? keys.developmentKeyP256 : keys.postbackKeyP256)
        try await record(body, at: try moment(text))
    }

    @Test("A value for which a locking event may have happened may have locked (before: at least 72 h, and 192 h)")
    func possibleLock() async throws {
        try await load(
            """
            "valid-from":"2026-01-01T00:00:00Z",
            "fine":[{"value":0,"events":[]},
                    {"value":1,"any-of":[{"name":"subscribe"},{"name":"purchase"}]},
                    {"value":2,"events":[{"name":"level"},{"name":"subscribe","count":{"from":0,"to":3}}]},
                    {"value":3,"events":[{"name":"purchase"}]},
                    {"value":4,"events":[{"name":"subscribe"}]},
                    {"value":5,"any-of":[{"name":"subscribe"},{"name":"tutorial"}],"hours":[24,48]}],
            "windows":[{"index":0,"lock":{"event":"subscribe"}},
                       {"index":1,"coarse":{"low":{"events":[]},
                                            "medium":{"any-of":[{"name":"subscribe"},{"name":"purchase"}]}},
                        "lock":{"event":"subscribe"}}]
            """)
        for value in 0...5 {
            try await receive("4.0", at: "2026-03-01T0\(value):00:00Z") { $0.conversionValue = value }
        }
        // The scheme has no coarse value of window 0, and no high one of window 1.
        try await receive("4.0", at: "2026-03-01T06:00:00Z") { $0.coarseConversionValue = "low" }
        for (hour, value) in [(7, "low"), (8, "medium"), (9, "high")] {
            try await receive("4.0", at: "2026-03-01T0\(hour):00:00Z") {
                ($0.sequenceIndex, $0.coarseConversionValue) = (1, value)
            }
        }
        try await receive("4.0", at: "2026-03-01T10:00:00Z")
        try await database.expect(
            Self.answers,
            """
            window  value  decoding  locks  most  estimate  least
            0       0      mapped    false  96    84        72
            0       1      mapped    true   96    84        24
            0       2      mapped    true   96    84        24
            0       3      mapped    false  96    84        72
            0       4      mapped    true   96    60        24
            0       5      mapped    true   96    84        48
            0       101    unmapped  true   96    84        24
            1       101    mapped    false  312   252       192
            1       102    mapped    true   312   252       72
            1       103    unmapped  true   312   252       72
            0       -1     -         true   96    84        24
            """)
    }

    @Test("A value may stand beside a lock only if both can be true (before: at least 24 h for each value of window 0)")
    func hiddenLock() async throws {
        try await load(
            """
            "valid-from":"2026-01-01T00:00:00Z",
            "fine":[{"value":5,"events":[{"name":"level"}]},{"value":10,"events":[{"name":"purchase"}]}],
            "windows":[{"index":0,"coarse":{"low":{"events":[]},"medium":{"events":[{"name":"level"}]},
                                            "high":{"events":[{"name":"purchase"}]}},
                        "lock":[{"fine":10},{"coarse":"high"}]},
                       {"index":1,"coarse":{"low":{"events":[]},"high":{"events":[{"name":"purchase"}]}},
                        "lock":{"event":"tutorial"}},
                       {"index":2,"coarse":{"low":{"events":[]}},"lock":{"coarse":"high"}}]
            """)
        try await receive("4.0", at: "2026-03-01T00:00:00Z") { $0.conversionValue = 5 }
        try await receive("4.0", at: "2026-03-01T01:00:00Z") { $0.conversionValue = 10 }
        for (hour, value) in [(2, "low"), (3, "medium"), (4, "high")] {
            try await receive("4.0", at: "2026-03-01T0\(hour):00:00Z") { $0.coarseConversionValue = value }
        }
        for window in 1...2 {
            try await receive("4.0", at: "2026-03-01T0\(window + 4):00:00Z") {
                ($0.sequenceIndex, $0.coarseConversionValue) = (window, "low")
            }
        }
        try await database.expect(
            Self.answers,
            """
            window  value  decoding  locks  most  estimate  least
            0       5      mapped    false  96    84        72
            0       10     mapped    true   96    60        24
            0       101    mapped    false  96    84        72
            0       102    mapped    false  96    84        72
            0       103    mapped    true   96    60        24
            1       101    mapped    true   312   252       72
            2       101    mapped    false  984   924       864
            """)
    }

    @Test("Ranges and hours of both values tell whether one may stand beside a lock by the other (before: least 24)")
    func ranges() async throws {
        func purchase(_ range: String, _ hours: String = "") -> String {
            "\"events\":[{\"name\":\"purchase\",\"revenue\":{\(range)}}]\(hours)"
        }
        try await load(
            """
            "valid-from":"2026-01-01T00:00:00Z","currency":"USD",
            "fine":[{"value":0,"events":[]},{"value":5,"events":[{"name":"level"}]},
                    {"value":10,\(purchase("\"from\":1,\"to\":5"))},
                    {"value":20,\(purchase("\"from\":5,\"to\":20"))},
                    {"value":30,\(purchase("\"from\":20", ",\"hours\":[12,48]"))},
                    {"value":40,\(purchase("\"from\":50", ",\"hours\":[0,12]"))}],
            "windows":[{"index":0,"coarse":{"low":{"events":[]},"medium":{\(purchase("\"from\":1,\"to\":10"))},
                                            "high":{\(purchase("\"from\":10", ",\"hours\":[24,48]"))}},
                        "lock":[{"fine":20},{"coarse":"high"}]}]
            """)
        for (hour, value) in [0, 5, 10, 20, 30, 40].enumerated() {
            try await receive("4.0", at: "2026-03-01T0\(hour):00:00Z") { $0.conversionValue = value }
        }
        for (hour, value) in [(6, "low"), (7, "medium"), (8, "high")] {
            try await receive("4.0", at: "2026-03-01T0\(hour):00:00Z") { $0.coarseConversionValue = value }
        }
        // 20 locks itself, at any hour. 30 can stand beside high, whose hours begin at 24, and medium beside 20.
        try await database.expect(
            Self.answers,
            """
            window  value  locks  most  estimate  least
            0       0      false  96    84        72
            0       5      false  96    84        72
            0       10     false  96    84        72
            0       20     true   96    60        24
            0       30     true   96    84        48
            0       40     false  96    84        72
            0       101    false  96    84        72
            0       102    true   96    84        24
            0       103    true   96    72        48
            """)
    }

    @Test("Of any-of one event must be possible; an event that only lower values have may have happened")
    func alternatives() async throws {
        func event(_ name: String) -> String { "{\"name\":\"\(name)\"}" }
        let fine = """
            "fine":[{"value":1,"events":[\(event("purchase"))]},{"value":2,"events":[\(event("gift"))]},
                    {"value":3,"events":[\(event("subscribe"))]}]
            """
        let high = "\"high\":{\"any-of\":[\(event("subscribe")),\(event("gift"))]}"
        for (month, coarse, lock) in [
            // Neither gift nor subscribe happened with 1.
            (1, high, "{\"coarse\":\"high\"}"),
            // An app sets the highest value that fits. So with 2 and 3 a purchase may have happened; with 1 it has.
            (2, "", "{\"event\":\"purchase\"}"),
            // Nothing is known of a value that locks and has no meaning.
            (3, "\"low\":{\"events\":[]}", "{\"fine\":9}"),
        ] {
            try await load(
                """
                "valid-from":"2026-0\(month)-01T00:00:00Z","valid-to":"2026-0\(month + 1)-01T00:00:00Z",\(fine),
                "windows":[{"index":0,"coarse":{\(coarse)},"lock":\(lock)}]
                """)
            for value in 1...3 {
                try await receive("4.0", at: "2026-0\(month)-20T0\(value):00:00Z") { $0.conversionValue = value }
            }
        }
        try await receive("4.0", at: "2026-03-20T04:00:00Z") { $0.coarseConversionValue = "low" }
        // At the change both schemes may hold. 1 stands beside no lock of the first one, but beside one of the second.
        try await receive("4.0", at: "2026-02-02T12:00:00Z") { $0.conversionValue = 1 }
        // 2 stands beside no lock of the third one, which ends here. Before: least 24.
        try await receive("4.0", at: "2026-04-02T12:00:00Z") { $0.conversionValue = 2 }
        try await database.expect(
            Self.answers,
            """
            value  decoding   locks  most  estimate  least
            1      mapped     false  96    84        72
            2      mapped     true   96    84        24
            3      mapped     true   96    84        24
            1      ambiguous  true   96    84        24
            1      mapped     true   96    60        24
            2      mapped     true   96    84        24
            3      mapped     true   96    84        24
            1      mapped     false  96    84        72
            2      mapped     false  96    84        72
            3      mapped     false  96    84        72
            101    mapped     true   96    84        24
            2      ambiguous  false  96    84        72
            """)
    }

    @Test("If both kinds of values have the events that lock, each shows whether the window was locked")
    func shownLock() async throws {
        try await load(
            """
            "valid-from":"2026-01-01T00:00:00Z",
            "fine":[{"value":5,"events":[]},{"value":10,"events":[{"name":"purchase"}]}],
            "windows":[{"index":0,"coarse":{"low":{"events":[]},"high":{"events":[{"name":"purchase"}]}},
                        "lock":{"event":"purchase"}}]
            """)
        try await receive("4.0", at: "2026-03-01T00:00:00Z") { $0.conversionValue = 5 }
        try await receive("4.0", at: "2026-03-01T01:00:00Z") { $0.coarseConversionValue = "low" }
        try await receive("4.0", at: "2026-03-01T02:00:00Z") { $0.coarseConversionValue = "high" }
        try await database.expect(
            Self.answers,
            """
            window  value  locks  most  estimate  least
            0       5      false  96    84        72
            0       101    false  96    84        72
            0       103    true   96    60        24
            """)
    }

    @Test(
        "At an edge of a scheme the widest holds that may hold (before: at most 96 h, 144 h at a gap)"
    )
    func edges() async throws {
        for (from, to, hours) in [
            ("03-10T00", "04-01T00", 48), ("04-01T00", "05-01T00", 96), ("05-01T06", "06-01T00", 48),
        ] {
            try await load(
                """
                "valid-from":"2026-\(from):00:00Z","valid-to":"2026-\(to):00:00Z",
                "measurement-window-hours":\(hours),"fine":[{"value":5,"events":[{"name":"purchase"}]}]
                """)
        }
        for time in [
            "2026-03-10T12:00:00Z",  // before the first scheme
            "2026-03-11T12:00:00Z",  // 36 hours after it began
            "2026-03-12T12:00:00Z",  // within it
            "2026-04-02T12:00:00Z",  // between two schemes without a gap
            "2026-05-02T12:00:00Z",  // between two schemes with a gap
            "2026-06-02T12:00:00Z",  // after the last one ended
        ] {
            try await receive("3.0", at: time)
        }
        try await receive("3.0", at: "2026-06-02T13:00:00Z") { $0.conversionValue = 5 }
        try await database.expect(
            Self.answers,
            """
            value  no_value_kind  decoding   most  estimate  least
            -1     withheld       -          1560  36        24
            -1     withheld       -          1560  36        24
            -1     withheld       -          96    36        24
            -1     withheld       -          144   36        24
            -1     withheld       -          1560  36        24
            -1     withheld       -          1560  36        24
            5      -              ambiguous  168   48        24
            """)
    }

    @Test("A re-engagement may end a conversion of AdAttributionKit early (before: at least 72, 192 and 864 h)")
    func reengagement() async throws {
        try await load(
            """
            "valid-from":"2026-01-01T00:00:00Z",
            "fine":[{"value":"0-9","events":[]},{"value":10,"events":[{"name":"purchase"}],"hours":[24,48]}]
            """)
        for (hour, value) in [(0, 5), (1, 10)] {
            try await receiveKit(at: "2026-03-01T0\(hour):00:00Z") { $0.envelope["conversion-value"] = "\(value)" }
        }
        for window in 1...2 {
            try await receiveKit(at: "2026-03-01T0\(window + 1):00:00Z") {
                ($0.sequenceIndex, $0.envelope["coarse-conversion-value"]) = (window, "\"low\"")
            }
        }
        try await receiveKit(at: "2026-03-01T04:00:00Z") {
            ($0.didWin, $0.publisherItemIdentifier) = (false, nil)
        }
        try await receiveKit(at: "2026-03-01T05:00:00Z") { $0.conversionType = "re-engagement" }
        // Nothing is known of a re-engagement that ends a conversion of SKAdNetwork.
        try await receive("4.0", at: "2026-03-01T06:00:00Z") { $0.conversionValue = 5 }
        try await database.expect(
            Self.answers,
            """
            window  value  locks  most  estimate  least
            0       5      false  96    84        24
            0       10     false  96    84        48
            1       101    false  312   252       72
            2       101    false  984   924       192
            0       -1     false  96    84        24
            0       -1     false  96    84        24
            0       5      false  96    84        72
            """)
    }

    @Test("A scheme can be tried on its first day: development postbacks take minutes (before: ambiguous, 72 to 96 h)")
    func development() async throws {
        let values = "{\"low\":{\"events\":[]}}"
        try await load(
            """
            "valid-from":"2026-03-10T09:00:00Z","fine":[{"value":"0-9","events":[{"name":"open"}]}],
            "windows":[{"index":1,"coarse":\(values)},{"index":2,"coarse":\(values)}]
            """)
        // A window, a timer and a delay before it, the scheme was not in force for sure.
        try await receive("4.0", at: "2026-03-10T09:14:00Z", development: true) { $0.conversionValue = 5 }
        for (second, version) in ["2.0", "2.1", "2.2", "3.0", "4.0"].enumerated() {
            try await receive(version, at: "2026-03-10T09:15:0\(second)Z", development: true) { $0.conversionValue = 5 }
        }
        try await receive("3.0", at: "2026-03-10T09:16:00Z", development: true)
        for window in 1...2 {
            try await receive("4.0", at: "2026-03-10T09:2\(window):00Z", development: true) {
                ($0.sequenceIndex, $0.coarseConversionValue) = (window, "low")
            }
        }
        for window in 0...2 {
            try await receiveKit(at: "2026-03-10T09:3\(window):00Z", development: true) {
                $0.sequenceIndex = window
                if window == 0 { $0.envelope["conversion-value"] = "5" }
                if window > 0 { $0.envelope["coarse-conversion-value"] = "\"low\"" }
            }
        }
        try await receive("1.0", at: "2026-03-10T09:40:00Z", development: true)
        // A key of the ring that is not one of development stands for Apple's times of production.
        try await receive("4.0", at: "2026-03-10T09:50:00Z") { $0.conversionValue = 5 }
        try await database.expect(
            Self.answers,
            """
            window  value  decoding   most  estimate  least
            0       5      ambiguous  0.25  0.25      0
            0       5      mapped     0.75  0.25      0
            0       5      mapped     0.75  0.25      0
            0       5      mapped     0.75  0.25      0
            0       5      mapped     0.75  0.25      0
            0       5      mapped     0.25  0.25      0
            0       -1     -          5.5   0.25      0
            1       101    mapped     0.5   0.25      0
            2       101    mapped     0.5   0.25      0
            0       5      mapped     0.25  0.25      0
            1       101    mapped     0.5   0.25      0
            2       101    mapped     0.5   0.25      0
            0       -1     -          5.5   0.25      0
            0       5      no_scheme  96    84        72
            """)
        try await store.foldAnswers()
        #expect(try await database.recountAnswers() == [])
    }

    @Test("A day of development is complete when the next one ends (before: after as many days as in production)")
    func developmentCompletes() async throws {
        let now = try #require(
            try await database.value(
                """
                SELECT to_char(now() AT TIME ZONE 'UTC' - interval '49 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
                """))
        try await receive("4.0", at: now, development: true) { $0.conversionValue = 5 }
        try await receive("4.0", at: now, development: true) { $0.sequenceIndex = 2 }
        try await database.expect(
            """
            SELECT *, attribution.is_complete(install_day, true, sequence_index, NULL, now()) AS before
              FROM attribution.postback_answer
            """,
            """
            sequence_index  complete  before
            0               true      false
            2               true      false
            """)
        try await store.foldAnswers()
        for report in ["campaign", "source_identifier", "traits", "source", "mapping"] {
            #expect(
                try await database.column(
                    "SELECT DISTINCT complete FROM attribution.report_install_\(report)_daily_all")
                    == ["true"], "\(report)")
        }
        for report in ["cohort", "cohort_mapping"] {
            #expect(
                try await database.column(
                    """
                    SELECT concat_ws(' ', complete_0, complete_1, complete_2)
                      FROM attribution.report_\(report)_daily_all
                    """) == ["t t t"], "\(report)")
        }
        #expect(
            try await database.column(
                """
                SELECT concat_ws(' ', installs_complete, revenue_complete)
                  FROM attribution.report_cost_daily_all WHERE environment = 'development'
                """) == ["t t"])
    }
}
