import AdAttribution
import ConversionSchemes
import PostgresClient
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore

@Suite("Schemes in the store", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct SchemeStoreTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    /// A scheme of the app of the tests' postbacks, whose fine value 1 means this event.
    private func scheme(
        _ from: String, _ to: String? = nil, app: Int64 = 525_463_029, event: String = "a"
    ) throws -> ConversionScheme {
        let end = to.map { "\"\($0)T00:00:00Z\"" } ?? "null"
        let text = """
            {"app-id": \(app), "name": "from \(from)", "valid-from": "\(from)T00:00:00Z", "valid-to": \(end),
             "fine": [{"value": 0, "events": []}, {"value": 1, "events": [{"name": "\(event)"}]}]}
            """
        return try SchemeFile.read(Array(text.utf8))
    }

    private static let validities = """
        SELECT concat_ws(' ', advertised_app_id, (valid_from AT TIME ZONE 'UTC')::date,
                         coalesce((valid_to AT TIME ZONE 'UTC')::date::text, 'open'))
          FROM attribution.conversion_scheme ORDER BY advertised_app_id, valid_from
        """

    private static let everything = """
        SELECT s::text FROM attribution.conversion_scheme AS s
        UNION ALL SELECT m::text FROM attribution.conversion_meaning AS m ORDER BY 1
        """

    /// Records a postback that was received at this time.
    private func receive(_ store: PostbackStore, at time: String, app: Int64 = 525_463_029) async throws {
        let keys = try TestKeys()
        let body = try TestPostback { $0.appID = app }.body(keys.postbackKey)
        let received = PostgresTimestamp(try #require(SchemeTime(time)))
        let delivery = PostbackDelivery(try keys.verified(body), receivedAt: received, origin: .unknown)
        #expect(try await store.record([delivery]).areAll(.accepted))
    }

    /// Loads a scheme that ends in March; false if it would overlap another one.
    private func isLoaded(_ from: String, _ store: PostbackStore) async -> Bool {
        do {
            _ = try await store.load([try scheme(from, "2026-03-01")])
            return true
        } catch {
            #expect(error is SchemeOverlap, "\(error)")
            return false
        }
    }

    @Test("A scheme is stored with each member, and its meanings as rows")
    func loaded() async throws {
        let scheme = try SchemeFile.read(try TestEnvironment.file("examples/scheme.json"))
        let outcomes = try await store.load([scheme])
        #expect(outcomes == [SchemeOutcome(scheme: scheme, change: .added(scheme.validity, closes: nil))])
        #expect(
            try await database.value(
                """
                SELECT concat_ws(' ', advertised_app_id, valid_from AT TIME ZONE 'UTC', valid_to, name, currency,
                                 measurement_window_hours, document ->> 'name', length(sha256))
                  FROM attribution.conversion_scheme
                """) == "525463029 2026-10-01 00:00:00 2026-Q4 revenue USD 48 2026-Q4 revenue 32")
        let rows = try await database.column(
            """
            SELECT concat_ws('|', sequence_index, coalesce(fine::text, coarse), value, coalesce(event, '-'),
                             revenue_low, coalesce(revenue_high::text, '-'), count_low,
                             coalesce(count_high::text, '-'), coalesce(hours_low::text, '-'),
                             coalesce(hours_high::text, '-'), locks)
              FROM attribution.conversion_meaning ORDER BY sequence_index, value, event
            """)
        #expect(
            rows == [
                "0|0|0|-|0.000000|0.000000|0|0|-|-|f", "0|1|1|tutorial_complete|0.000000|0.000000|1|-|-|-|f",
                "0|2|2|purchase|0.990000|4.990000|1|3|0|24|f", "0|3|3|purchase|0.990000|4.990000|1|3|0|24|f",
                "0|4|4|purchase|4.990000|20.000000|1|-|0|24|f", "0|5|5|purchase|20.000000|-|1|-|0|24|f",
                "0|6|6|purchase|0.990000|-|1|-|24|48|t", "0|6|6|subscribe|9.990000|9.990000|1|1|24|48|t",
                "0|low|101|-|0.000000|0.000000|0|0|-|-|f", "0|medium|102|purchase|0.000000|-|0|-|-|-|f",
                "0|medium|102|tutorial_complete|0.000000|0.000000|0|-|-|-|f",
                "0|high|103|subscribe|9.990000|9.990000|1|-|-|-|t", "1|low|101|-|0.000000|0.000000|0|0|-|-|f",
                "1|medium|102|purchase|0.990000|20.000000|1|-|-|-|f",
                "1|high|103|purchase|20.000000|-|1|-|-|-|t",
                "2|high|103|purchase|0.990000|-|1|-|-|-|f",
            ])
        let noon = PostgresTimestamp(try #require(SchemeTime("2026-11-01T12:00:00Z")))
        #expect(try await store.scheme(of: scheme.appID, at: noon) == scheme)
    }

    @Test("Loading the same scheme again changes nothing, also after a successor has closed it")
    func again() async throws {
        let (first, second) = (try scheme("2026-01-01"), try scheme("2026-03-01"))
        _ = try await store.load([first, second])
        let before = try await database.column(Self.everything)
        let outcomes = try await store.load([second, first])
        #expect(outcomes.map(\.change) == [.unchanged, .unchanged])
        #expect(try await database.column(Self.everything) == before)
    }

    @Test("A successor closes an open scheme, even one in use, and changes nothing else of it")
    func successor() async throws {
        let (first, second) = (try scheme("2026-01-01"), try scheme("2026-03-01"))
        _ = try await store.load([first])
        try await receive(store, at: "2026-02-01T00:00:00Z")
        let others =
            "SELECT (to_jsonb(s) - 'valid_to')::text FROM attribution.conversion_scheme AS s WHERE valid_from < '2026-02-01'"
        let before = try await database.column(others)
        let outcomes = try await store.load([second])
        #expect(outcomes.map(\.change) == [.added(second.validity, closes: first.validity.from)])
        #expect(
            try await database.column(Self.validities) == [
                "525463029 2026-01-01 2026-03-01", "525463029 2026-03-01 open",
            ])
        #expect(try await database.column(others) == before)
        let last = PostgresTimestamp(
            microsecondsSince2000: PostgresTimestamp(second.validity.from).microsecondsSince2000 - 1)
        #expect(try await store.scheme(of: first.appID, at: last)?.name == first.name)
        #expect(try await store.scheme(of: first.appID, at: last)?.validity.to == second.validity.from)
        #expect(try await store.scheme(of: first.appID, at: PostgresTimestamp(second.validity.from)) == second)
        let before2026 = PostgresTimestamp(
            microsecondsSince2000: PostgresTimestamp(first.validity.from).microsecondsSince2000 - 1)
        #expect(try await store.scheme(of: first.appID, at: before2026) == nil)
    }

    @Test("Validities of one app that overlap are refused; those of two apps may")
    func overlap() async throws {
        _ = try await store.load([try scheme("2026-01-01", "2026-03-01")])
        await #expect(throws: SchemeOverlap.self) { try await store.load([try scheme("2026-02-01")]) }
        await #expect(throws: SchemeOverlap.self) {
            try await store.load([try scheme("2025-12-01", "2026-01-02")])
        }
        _ = try await store.load([try scheme("2026-02-01", app: 7), try scheme("2026-03-01")])
        #expect(
            try await database.column(Self.validities) == [
                "7 2026-02-01 open", "525463029 2026-01-01 2026-03-01", "525463029 2026-03-01 open",
            ])
    }

    @Test("If one of several schemes is refused, none is loaded")
    func allOrNone() async throws {
        _ = try await store.load([try scheme("2026-01-01", "2026-03-01", app: 9)])
        let before = try await database.column(Self.everything)
        await #expect(throws: SchemeOverlap.self) {
            try await store.load([try scheme("2026-01-01", app: 8), try scheme("2026-02-01", app: 9)])
        }
        await #expect(throws: SchemeOverlap.self) {
            try await store.load([try scheme("2026-05-01", app: 8), try scheme("2026-05-01", app: 8, event: "b")])
        }
        #expect(try await database.column(Self.everything) == before)
    }

    @Test("A scheme in use can't be edited; one that is not in use is replaced with all its rows")
    func edited() async throws {
        let (stored, edited) = (try scheme("2026-02-01"), try scheme("2026-02-01", event: "b"))
        _ = try await store.load([stored])
        // Another app's postback, and one from before the scheme.
        try await receive(store, at: "2026-02-03T00:00:00Z", app: 8)
        try await receive(store, at: "2026-01-31T23:59:59Z")
        #expect(try await store.schemes().map(\.isInUse) == [false])
        #expect(try await store.load([edited]).map(\.change) == [.replaced(edited.validity)])
        let events = "SELECT event FROM attribution.conversion_meaning WHERE event IS NOT NULL"
        #expect(try await database.column(events) == ["b"])

        try await receive(store, at: "2026-02-01T00:00:00Z")
        #expect(try await store.schemes().map(\.isInUse) == [true])
        let before = try await database.column(Self.everything)
        let error = SchemeInUse(appID: stored.appID, validFrom: stored.validity.from)
        await #expect(throws: error) { try await store.load([stored]) }
        #expect(try await store.load([edited]).map(\.change) == [.unchanged])
        #expect(try await database.column(Self.everything) == before)
    }

    @Test("A scheme is in use from the second of its beginning on, on later days, and if the log is folded or not")
    func inUse() async throws {
        func isInUse(_ time: String) async throws -> String? {
            try await database.value("SELECT attribution.conversion_scheme_in_use(525463029, '\(time)')")
        }
        #expect(try await isInUse("2026-01-01Z") == "false")
        try await receive(store, at: "2026-02-10T12:00:00Z")
        for _ in 0..<2 {
            #expect(try await isInUse("2026-02-09T23:59:59Z") == "true")
            #expect(try await isInUse("2026-02-10T12:00:00Z") == "true")
            #expect(try await isInUse("2026-02-10T12:00:01Z") == "false")
            #expect(try await isInUse("2026-02-11Z") == "false")
            #expect(
                try await database.value("SELECT attribution.conversion_scheme_in_use(8, '2026-01-01Z')")
                    == "false")
            while try await store.fold() > 0 {}
        }
        // Signed impressions are no postbacks.
        try await database.run(
            "UPDATE attribution.campaign_daily SET day = day + 30, installs = 0, impressions = 5, no_value = 0"
        )
        #expect(try await isInUse("2026-02-11Z") == "false")
    }

    @Test(
        "Two operators at once: of twenty loads of schemes that exclude each other one wins, and no validities overlap",
        .database(connections: 8))
    func atOnce() async throws {
        let results = await withTaskGroup(of: Bool.self) { group in
            for day in 10..<30 { group.addTask { await isLoaded("2026-01-\(day)", store) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0 } == 1)
        // Outside of a macro, so that the closure is seen to throw.
        let stored = try await store.schemes()
        #expect(stored.count == 1)
        let meanings = "SELECT count(DISTINCT valid_from) FROM attribution.conversion_meaning"
        #expect(try await database.value(meanings) == "1")
    }

    @Test(
        "If operators load open schemes at once, in any order, each but the last is closed by the next, or refused",
        .database(connections: 8))
    func openAtOnce() async throws {
        await withTaskGroup(of: Void.self) { group in
            for day in 10..<22 {
                group.addTask { _ = try? await store.load([try scheme("2026-01-\(day)")]) }
            }
        }
        let schemes = try await store.schemes()
        #expect(schemes.count >= 2)
        for (one, next) in zip(schemes, schemes.dropFirst()) {
            #expect(try #require(one.validity.to) <= next.validity.from)
        }
        #expect(schemes.last?.validity.to == nil)
    }

    @Test("A row with a wrong value from another program is an error, not a crash")
    func wrongRow() async throws {
        let scheme = try scheme("2026-01-01")
        _ = try await store.load([scheme])
        try await database.run("UPDATE attribution.conversion_scheme SET document = '{}'")
        let time = PostgresTimestamp(scheme.validity.from)
        await #expect(throws: SchemeErrors.self) { _ = try await store.scheme(of: scheme.appID, at: time) }
        try await database.run(
            """
            ALTER TABLE attribution.conversion_scheme DROP CONSTRAINT conversion_scheme_quarter_hours;
            UPDATE attribution.conversion_scheme SET valid_from = valid_from + '1 microsecond'
            """)
        await #expect(throws: StoredValueError.self) { _ = try await store.schemes() }
    }

    @Test(
        "The database refuses a validity that is not of full quarters of an hour, whoever writes it",
        arguments: [
            ("2026-01-01 00:15Z", "NULL", true), ("2026-01-01 00:15Z", "'2026-01-01 00:30Z'", true),
            ("2026-01-01 00:10Z", "NULL", false), ("2026-01-01 00:15Z", "'2026-01-01 00:30:01Z'", false),
            ("2026-01-01 00:15:00.000001Z", "NULL", false),
        ])
    func quarterHours(from: String, to: String, isRight: Bool) async throws {
        let insert = """
            INSERT INTO attribution.conversion_scheme (
                advertised_app_id, valid_from, valid_to, name, document, sha256, loaded_at)
            VALUES (1, '\(from)', \(to), 'a', '{}', '', now())
            """
        do {
            try await database.run(insert)
            #expect(isRight)
        } catch {
            #expect(!isRight && "\(error)".contains("conversion_scheme_quarter_hours"), "\(error)")
        }
    }

    @Test("Each table and column of schemes has a comment")
    func comments() async throws {
        let bare = try await database.column(
            """
            SELECT attrelid::regclass || '.' || attname FROM pg_attribute
             WHERE attrelid IN ('attribution.conversion_scheme'::regclass, 'attribution.conversion_meaning'::regclass)
               AND attnum > 0 AND col_description(attrelid, attnum) IS NULL
            """)
        #expect(bare == [])
    }
}
