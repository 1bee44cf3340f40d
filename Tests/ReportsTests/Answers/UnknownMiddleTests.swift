import AdAttribution
import CampaignData
import ConversionSchemes
import Money
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore
@testable import Reports

/// Values of which nobody knows the revenue: least 0, open, without a middle.
@Suite("Unknown middles of revenue", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct UnknownMiddleTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let keys: TestKeys

    private static let app: Int64 = 525_463_029

    init() throws {
        keys = try TestKeys()
    }

    /// A postback of 4.0 with a fine value in window 0, or a coarse one.
    private func postback(
        _ sourceIdentifier: String, fine: Int? = nil, coarse: String? = nil, window: Int = 0
    ) throws -> PostbackDelivery {
        let postback = TestPostback {
            ($0.version, $0.appID, $0.sourceIdentifier, $0.sequenceIndex) = ("4.0", Self.app, sourceIdentifier, window)
            ($0.conversionValue, $0.coarseConversionValue) = (fine, coarse)
            if coarse != nil { $0.sourceAppID = nil }
        }
        return PostbackDelivery(
            try keys.verified(postback.body(keys.postbackKeyP256)), receivedAt: AnswerFixture.time(hours: 24))
    }

    private func load(_ scheme: ConversionScheme, _ postbacks: [PostbackDelivery]) async throws {
        _ = try await store.load([scheme])
        #expect(try await store.record(postbacks).areAll(.accepted))
        try await store.foldAnswers()
    }

    private static func own(_ members: String) throws -> ConversionScheme {
        try SchemeFile.read(
            Array(
                """
                {"app-id": \(app), "name": "own", "valid-from": "2026-09-01T00:00:00Z", "currency": "USD", \(members)}
                """.utf8))
    }

    /// Of each company a file in which value 1 is a gift of any size, value 2 a tutorial, value 3 an order from 10 on.
    private static let files: [(format: SchemeFormat, text: String, order: String)] = [
        (
            .meta,
            """
            {"data": [{"default_currency": "USD", "conversion_value_rules": [
            {"conversion_value": 1, "events": [{"event_name": "gift"}]},
            {"conversion_value": 2, "events": [{"event_name": "fb_mobile_tutorial_completion"}]},
            {"conversion_value": 3, "events": [{"event_name": "order", "values": [{"currency": "USD", "amount": 10}]}]}]}]}
            """, "10  10  10  1"
        ),
        (
            .tiktok,
            """
            {"currency": "USD", "postbacks": [{"postback_index": 0, "fine": [
            {"conversion_value": "1", "event_funnel": [{"event_name_report": "gift", "revenue_min": 0, "revenue_max": 0}]},
            {"conversion_value": "2", "event_funnel": [{"event_name_report": "CompleteTutorial"}]},
            {"conversion_value": "3", "event_funnel": [{"event_name_report": "order", "revenue_min": 10, "revenue_max": 20}]}]}]}
            """, "10  15  20  0"
        ),
        (
            .ga4,
            """
            {"postbackWindowOne": {"postbackWindowSettingsEnabled": true, "conversionValues": [
            {"fineValue": 1, "coarseValue": "COARSE_VALUE_LOW", "eventMappings": [{"eventName": "gift", "minEventCount": "2"}]},
            {"fineValue": 2, "coarseValue": "COARSE_VALUE_LOW", "eventMappings": [{"eventName": "tutorial_complete", "minEventCount": "1"}]},
            {"fineValue": 3, "coarseValue": "COARSE_VALUE_LOW", "eventMappings": [{"eventName": "order", "minEventValue": 10, "maxEventValue": 20}]}]}}
            """, "10  15  20  0"
        ),
        (
            .googleAds,
            """
            {"appId": "\(app)", "fineGrainedConversionValueMappings": [
            {"fineGrainedConversionValue": 1, "conversionValueMapping": {"mappedEvents": [{"mappedEventName": "gift", "eventCounter": "2"}]}},
            {"fineGrainedConversionValue": 2, "conversionValueMapping": {"mappedEvents": [{"mappedEventName": "tutorial_complete"}]}},
            {"fineGrainedConversionValue": 3, "conversionValueMapping": {"mappedEvents": [
            {"mappedEventName": "order", "currencyCode": "USD", "eventRevenueValue": 10}]}}]}
            """, "10  10  10  0"
        ),
        (
            .branch,
            """
            {"app-id": \(app), "mapping": {"postback-sequence-index-0": [
            {"conversion-value": "1", "conversion-event": [{"values": {"name": ["eq", "gift"]}}]},
            {"conversion-value": "2", "conversion-event": [{"values": {"name": ["eq", "COMPLETE_TUTORIAL"]}}]},
            {"conversion-value": "3", "conversion-event": [
            {"values": {"name": ["eq", "order"], "event_data.revenue": ["between", 10, 20]}}]}]}}
            """, "10  15  20  0"
        ),
        // Conditions that are dropped: an amount in another currency, and one that is no range. They were 0 to 0 too.
        (
            .meta,
            """
            {"data": [{"default_currency": "USD", "conversion_value_rules": [
            {"conversion_value": 1, "events": [{"event_name": "fb_mobile_search", "values": [{"currency": "EUR", "amount": 1}]}]},
            {"conversion_value": 2, "events": [{"event_name": "fb_mobile_search"}, {"event_name": "fb_mobile_achievement_unlocked"}]},
            {"conversion_value": 3, "events": [{"event_name": "order", "values": [{"currency": "USD", "amount": 10}]}]}]}]}
            """, "10  10  10  1"
        ),
        (
            .googleAds,
            """
            {"appId": "\(app)", "fineGrainedConversionValueMappings": [
            {"fineGrainedConversionValue": 1, "conversionValueMapping": {"mappedEvents": [
            {"mappedEventName": "login", "currencyCode": "EUR", "eventRevenueValue": 4}]}},
            {"fineGrainedConversionValue": 2, "conversionValueMapping": {"mappedEvents": [{"mappedEventName": "tutorial_complete"}]}},
            {"fineGrainedConversionValue": 3, "conversionValueMapping": {"mappedEvents": [
            {"mappedEventName": "order", "currencyCode": "USD", "eventRevenueValue": 10}]}}]}
            """, "10  10  10  0"
        ),
        (
            .branch,
            """
            {"app-id": \(app), "mapping": {"postback-sequence-index-0": [
            {"conversion-value": "1", "conversion-event": [
            {"values": {"name": ["eq", "LOGIN"], "event_data.revenue": ["gt", 3]}}]},
            {"conversion-value": "2", "conversion-event": [{"values": {"name": ["eq", "COMPLETE_TUTORIAL"]}}]},
            {"conversion-value": "3", "conversion-event": [
            {"values": {"name": ["eq", "order"], "event_data.revenue": ["between", 10, 20]}}]}]}}
            """, "10  15  20  0"
        ),
    ]

    @Test(
        "A value of an imported file without an amount has unknown revenue; before, the report said 0 to 0, middle 0",
        arguments: files.indices)
    func imported(_ index: Int) async throws {
        let (format, text, order) = Self.files[index]
        var options = ImportOptions(
            name: try #require(SchemeName("imported")), validFrom: try #require(SchemeTime("2026-09-01T00:00:00Z")))
        (options.appID, options.currency) = (AppID(Self.app), CurrencyCode("USD"))
        let scheme = try format.read(Array(text.utf8), options).output
        try await load(scheme, (1...3).map { (value: Int) in try postback("000\(value)", fine: value) })
        // The old result of 0001: 0  0  0  0.
        try await database.expect(
            "SELECT * FROM attribution.report_arrival_campaign_daily_all",
            """
            campaign  mapped  revenue_low  revenue_middle  revenue_high  revenue_open
            0001      1       0            -               0             1
            0002      1       0            0               0             0
            0003      1       \(order)
            """)
        try await database.expect(
            "SELECT revenue_low, revenue_middle, revenue_high FROM attribution.postback_answer WHERE value = 1",
            """
            revenue_low  revenue_middle  revenue_high
            0            -               -
            """)
    }

    /// Value 1 is a gift of any size, value 2 an order and a gift, value 3 an order, value 4 an order or nothing.
    private static let members = """
        "fine": [{"value": 1, "events": [{"name": "gift", "revenue": "unknown"}]},
                 {"value": 2, "events": [{"name": "order", "revenue": {"from": 10, "to": 20}}, {"name": "gift", "revenue": "unknown"}]},
                 {"value": 3, "events": [{"name": "order", "revenue": {"from": 10, "to": 20}}]},
                 {"value": 4, "any-of": [{"name": "order", "revenue": {"from": 10}}, {"name": "tutorial"}]}],
        "windows": [{"index": 1, "coarse": {"low": {"events": [{"name": "gift", "revenue": "unknown"}]}}}]
        """

    @Test("One event with unknown revenue leaves a value without a middle; its least revenue stands")
    func values() async throws {
        let postbacks = try (1...4).map { (value: Int) in try postback("000\(value)", fine: value) }
        try await load(try Self.own(Self.members), postbacks)
        // The old middles: 0, 15, 15, 0.
        try await database.expect(
            "SELECT * FROM attribution.postback_answer",
            """
            value  revenue_low  revenue_middle  revenue_high
            1      0            -               -
            2      10           -               -
            3      10           15              20
            4      0            -               -
            """)
        try await database.expect(
            "SELECT campaign, event, revenue_low, revenue_middle, revenue_high, revenue_open FROM attribution.report_arrival_event_daily_all",
            """
            campaign  event     revenue_low  revenue_middle  revenue_high  revenue_open
            0001      gift      0            -               0             1
            0002      gift      0            -               0             1
            0002      order     10           15              20            0
            0003      order     10           15              20            0
            0004      order     0            -               0             1
            0004      tutorial  0            0               0             0
            """)
        try await database.expect(
            "SELECT skad_conversion_value AS value, event_name AS event, min_revenue, skad_revenue, max_revenue FROM appsflyer.skad_inapps_all",
            """
            value  event     min_revenue  skad_revenue  max_revenue
            1      gift      0            -             -
            2      gift      0            -             -
            2      order     10           15            20
            3      order     10           15            20
            4      order     0            -             -
            4      tutorial  0            0             0
            """)
        #expect(try await database.recountAnswers() == [])
    }

    /// Reports that sum middles by keys of their own; before, the middles of these rows were 15 and 30.
    private static let reports = [
        "install_campaign", "install_source_identifier", "install_traits", "install_source", "install_version",
        "install_app_source", "install_mapping",
    ]

    @Test("A sum of middles is missing in each report if one of them is unknown")
    func sums() async throws {
        // 0001 and 1101 end in the same two digits.
        let postbacks = [
            try postback("0001", fine: 3), try postback("0001", fine: 1), try postback("1101", fine: 3),
            try postback("0002", coarse: "low", window: 1),
        ]
        try await load(try Self.own(Self.members), postbacks)
        for report in Self.reports {
            try await database.expect(
                """
                SELECT bool_or(revenue_middle IS NULL) AS is_missing,
                       bool_and((revenue_middle IS NULL) = (revenue_open > 0)) AS is_counted
                  FROM attribution.report_\(report)_daily_all
                 WHERE sequence_index = 0
                """,
                """
                is_missing  is_counted
                true        true
                """)
        }
        try await database.expect(
            """
            SELECT * FROM attribution.report_install_source_identifier('-infinity', 'infinity', an_environment => NULL) WHERE sequence_index = 0
            """,
            """
            source_identifier  revenue_low  revenue_middle  revenue_high  revenue_open
            01                 20           -               40            1
            001                10           -               20            1
            0001               10           -               20            1
            101                10           15              20            0
            1101               10           15              20            0
            """)
        try await database.expect(
            "SELECT * FROM attribution.report_cohort_all",
            """
            campaign  revenue_0_low  revenue_0_middle  revenue_0_open  revenue_1_low  revenue_1_middle  revenue_1_open
            0001      10             -                 1               -              -                 0
            1101      10             15                0               -              -                 0
            0002      -              -                 0               0              -                 1
            """)
        // All campaigns are one row, since no mapping names them.
        try await database.expect(
            "SELECT * FROM attribution.report_cost_all",
            """
            revenue_0_low  revenue_0_middle  revenue_0_high  revenue_1_low  revenue_1_middle  revenue_2_middle  revenue_open
            20             -                 40              0              -                 -                 2
            """)
        #expect(try await database.recountAnswers() == [])
    }

    @Test(
        "A sum for the page is missing if one middle is unknown; campaigns without a mapped value do not matter to it")
    func summed() async throws {
        try await AnswerRows.store(
            [
                AnswerRows.Row { ($0.mapped, $0.middle) = (2, 5) },
                AnswerRows.Row { ($0.line, $0.withheld) = (3, 4) },
                AnswerRows.Row { ($0.line, $0.window, $0.mapped, $0.middle) = (1, 1, 2, 5) },
                AnswerRows.Row { ($0.line, $0.window, $0.mapped, $0.open, $0.unknown) = (3, 1, 1, 1, 1) },
            ], in: database)
        // As the screens of windows and of campaigns ask.
        let july = ["from=2026-07-01", "to=2026-07-31"]
        let cohorts = try ReportSummary(
            try await store.query("cohort", july), by: ["week"],
            (0...2).map {
                .init("\($0)", .money("revenue_\($0)_middle", of: "mapped_\($0)", in: "USD"))
            })
        // Before: 5, 5, 0.
        #expect(try await store.read([FigureQuestion(cohorts)])[0] == [["2026-07-06", "5.000000", nil, nil]])
        let windows = try ReportSummary(
            try await store.query("install_campaign", july), by: ["sequence_index"],
            [.init("middle", .money("revenue_middle", of: "mapped", in: "USD"))])
        #expect(try await store.read([FigureQuestion(windows)])[0] == [["0", "5.000000"], ["1", nil]])
    }

    @Test("A raise to a value of known revenue takes the unknown one out of the sums")
    func raised() async throws {
        _ = try await store.load([try Self.own(Self.members)])
        var postback = TestPostback { $0.appID = Self.app }
        func delivery(_ value: Int) throws -> PostbackDelivery {
            postback.conversionValue = value
            return PostbackDelivery(
                try keys.verified(postback.body(keys.postbackKey)), receivedAt: AnswerFixture.time(hours: 24))
        }
        let row = "SELECT * FROM attribution.report_arrival_campaign_daily_all"
        #expect(try await store.record([delivery(1)]).areAll(.accepted))
        try await store.foldAnswers()
        try await database.expect(row, "revenue_low  revenue_middle  revenue_open\n0  -  1")
        #expect(try await store.record([delivery(3)]).areAll(.raised))
        try await store.foldAnswers()
        try await database.expect(row, "revenue_low  revenue_middle  revenue_open\n10  15  0")
        #expect(try await database.recountAnswers() == [])
    }

    @Test("Mapped values of which one is unknown model nothing; the withheld ones beside them are counted as missing")
    func modelled() async throws {
        try await AnswerRows.store(
            [
                AnswerRows.Row {
                    ($0.mapped, $0.withheld, $0.low, $0.middle, $0.high) = (40, 10, 80, 80, 80)
                    ($0.open, $0.unknown) = (1, 1)
                },
                AnswerRows.Row { ($0.line, $0.mapped, $0.withheld, $0.middle) = (3, 40, 10, 80) },
                // Of the second app, both levels have too few.
                AnswerRows.Row { ($0.line, $0.mapped, $0.withheld, $0.open, $0.unknown) = (6, 10, 5, 10, 10) },
            ], in: database)
        // Before: 100 and, for app 8, 0.
        try await database.expect(
            "SELECT * FROM attribution.report_modelled_revenue",
            """
            campaign  advertised_app_id  mapped  modelled_from  modelled_missing  modelled_revenue_middle
            39        7                  40      none           10                -
            17        7                  40      campaign       0                 100
            39        8                  10      none           5                 -
            """)
        try await database.expect(
            "SELECT * FROM attribution.report_modelled_revenue_by_app",
            """
            advertised_app_id  revenue_low  revenue_middle  modelled_missing  modelled_revenue_middle
            7                  160          -               10                -
            8                  0            -               5                 -
            """)
    }
}
