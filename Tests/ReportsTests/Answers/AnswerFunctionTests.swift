import TestSupport
import Testing

/// One call of a function in SQL, the result it must have, and the rule behind it.
private struct Case: Sendable {
    let rule: String
    let arguments: String
    let result: String

    /// Reads a line of a table: the rule, the arguments, the result.
    init(_ line: Substring) throws {
        let parts = line.split(separator: " | ").map(String.init)
        try #require(parts.count == 3, "\(line)")
        rule = parts[0]
        // The first two arguments of two functions.
        arguments = parts[1].replacing("skan ", with: "'skadnetwork', ").replacing(
            "kit ", with: "'adattributionkit', 'none', ")
        result = parts[2]
    }
}

/// The functions of `definitions/answers.sql`, each as a table of cases.
///
/// The sources of the rules are there.
@Suite("The rules of answers, as functions in SQL", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct AnswerFunctionTests {
    private let database = TestDatabase.current

    /// Calls a function in SQL for each line of a table.
    ///
    /// `call` has `$` in place of the arguments.
    private func check(_ call: String, _ table: String) async throws {
        let cases = try table.split(separator: "\n").map { try Case($0) }
        try await TestDatabase.with { database in
            let rows = cases.enumerated().map { index, one in
                "SELECT \(index) AS number, \(call.replacing("$", with: one.arguments)) AS result"
            }
            // Hours without places after the point.
            let results = try await database.column(
                """
                SELECT coalesce(regexp_replace(result::text, '\\.0+([,)])', '\\1'), 'NULL')
                  FROM (\(rows.joined(separator: " UNION ALL "))) AS called ORDER BY number
                """)
            for (one, result) in zip(cases, results) {
                #expect(result == one.result, "\(one.rule): \(call.replacing("$", with: one.arguments))")
            }
            #expect(results.count == cases.count)
        }
    }

    @Test("The tiers that fit a postback follow from what it says")
    func privacyTier() async throws {
        // protocol, version, window, won, digits, value, source, country, marketplace
        try await check(
            "attribution.privacy_tier($)",
            """
            Up to 3.0 there are no tiers | skan '3.0', '0', true, 2, '5', true, false, false | (,)
            1.0 has none either | skan '1.0', '0', true, 2, '-1', false, false, false | (,)
            The source is sent in tier 3 only | skan '4.0', '0', true, 4, '5', true, false, false | (3,3)
            So is the country | kit '0', true, 4, '5', false, true, true | (3,3)
            Tier 3 with two digits | skan '4.0', '0', true, 2, '-1', true, false, false | (3,3)
            A fine value without a source is tier 2 | skan '4.0', '0', true, 2, '0', false, false, false | (2,2)
            A coarse value of window 0 is tier 1 | skan '4.0', '0', true, 2, '101', false, false, false | (1,1)
            The same of AdAttributionKit | kit '0', true, 2, '103', false, false, true | (1,1)
            A third digit is sent from tier 2 on | skan '4.0', '0', true, 3, '-1', false, false, false | (2,2)
            A losing one with a third digit: 2 or 3 | skan '4.0', '0', false, 4, '-1', false, false, false | (2,3)
            Two digits alone fit the tiers 0 to 2 | skan '4.0', '0', true, 2, '-1', false, false, false | (0,2)
            So does one digit | skan '4.0', '0', true, 1, '-1', false, false, false | (0,2)
            A losing one with two digits fits all tiers | skan '4.0', '0', false, 2, '-1', false, false, false | (0,3)
            The marketplace is missing in tier 0 only | kit '0', true, 2, '-1', false, false, false | (0,0)
            That is so for losing ones too | kit '0', false, 2, '-1', false, false, false | (0,0)
            The marketplace and nothing else: 1 or 2 | kit '0', true, 2, '-1', false, false, true | (1,2)
            The same of a losing one: 1 to 3 | kit '0', false, 2, '-1', false, false, true | (1,3)
            Later windows are sent from tier 1 on | skan '4.0', '1', true, 2, '102', false, false, false | (1,3)
            With or without a value | kit '2', true, 2, '-1', false, false, true | (1,3)
            A fact of a higher tier counts more | skan '4.0', '0', true, 2, '101', true, false, false | (3,3)
            """)
    }

    @Test("A missing value is withheld, was not set, or can't be there")
    func noValueKind() async throws {
        // protocol, version, window, won, value, lowest tier, source
        try await check(
            "attribution.no_value_kind($)",
            """
            A value is there | skan '4.0', '0', true, '0', '2', false | NULL
            A coarse one too | kit '2', true, '101', '1', false | NULL
            1.0 has no values | skan '1.0', '0', true, '-1', NULL, false | not_applicable
            A losing postback has none | skan '3.0', '0', false, '-1', NULL, false | not_applicable
            In no tier | kit '0', false, '-1', '1', false | not_applicable
            Later windows let a value through | skan '4.0', '1', true, '-1', '1', false | not_set
            So do tier 2 and above | skan '4.0', '0', true, '-1', '2', false | not_set
            And tier 1, with a coarse value | kit '0', true, '-1', '1', false | not_set
            Tier 0 withholds | kit '0', true, '-1', '0', false | withheld
            What may be tier 0 counts as tier 0 | skan '4.0', '0', true, '-1', '0', false | withheld
            Up to 3.0 a source means that a value had room | skan '2.0', '0', true, '-1', NULL, true | not_set
            Up to 3.0 without a source it is withheld | skan '3.0', '0', true, '-1', NULL, false | withheld
            """)
    }

    @Test("A window can have been locked only by a value that the scheme locks with, or may lock with")
    func mayLock() async throws {
        // windows, value, kind, value locks, window locks
        try await check(
            "attribution.may_lock($)",
            """
            Up to 3.0 nothing locks | false, '5', NULL, true, true | false
            A value that may stand beside a lock | true, '5', NULL, true, true | true
            A value that does not | true, '101', NULL, false, true | false
            A value without a meaning may be any that locks | true, '5', NULL, NULL, true | true
            A coarse one too | true, '101', NULL, NULL, true | true
            A window without locks | true, '5', NULL, false, false | false
            A withheld value may be one that locks | true, '-1', 'withheld', NULL, true | true
            Unless none does | true, '-1', 'withheld', NULL, false | false
            To lock is a part of setting a value | true, '-1', 'not_set', NULL, true | false
            A losing postback waits for the end | true, '-1', 'not_applicable', NULL, true | false
            Without a scheme no lock is known | true, '5', NULL, NULL, false | false
            """)
    }

    @Test("Windows and delays are Apple's, and the time in which a value was set follows from them")
    func windows() async throws {
        try await check(
            "attribution.window_hours($)",
            """
            Days 0 to 2, then 24 to 48 hours | true, '0' | (0,48,24,48)
            Days 3 to 7, then 24 to 144 hours | true, '1' | (48,168,24,144)
            Days 8 to 35, then 24 to 144 hours | true, '2' | (168,840,24,144)
            A timer of 24 hours, then 0 to 24 hours | false, '0' | (0,24,0,24)
            """)
        try await check(
            "attribution.value_set_hours($)",
            """
            Within the window, then the delay | true, '0', false | (96,24)
            The second window is 120 hours long | true, '1', false | (264,24)
            The third window is 672 hours long | true, '2', false | (816,24)
            The last raise began the timer | false, '0', false | (48,24)
            Developer Mode: three minutes, then 5 to 10, as quarters of an hour | true, '0', true | (0.25,0)
            The same for each window | true, '2', true | (0.25,0)
            The profile: five minutes, then up to five | false, '0', true | (0.25,0)
            """)
    }

    @Test("No postback arrives later after its install than the greatest lag, whatever a scheme says", .database)
    func greatestLag() async throws {
        let latest = try await database.value(
            """
            SELECT max(floor((estimate.install_hours + 23.75) / 24))
              FROM (VALUES (false, 0), (true, 0), (true, 1), (true, 2)) AS part (has_windows, sequence_index)
             CROSS JOIN (VALUES (-1), (0), (63), (101)) AS of (value)
             CROSS JOIN (VALUES (false), (true)) AS locks (locks)
             CROSS JOIN (VALUES (NULL, NULL), (0, 0), (0, 1512), (1512, 1512), (0, 32767))
                   AS hours (hours_low, hours_high)
             CROSS JOIN (VALUES (NULL), (1512)) AS scheme (measurement_window_hours)
             CROSS JOIN attribution.install_hours(
                   has_windows, sequence_index::smallint, value::smallint, locks, locks, hours_low::smallint,
                   hours_high::smallint, measurement_window_hours::smallint, false) AS estimate
             WHERE has_windows OR value < 64
            """)
        #expect(try await database.value("SELECT attribution.greatest_lag()") == latest)
    }

    @Test("The first launch lies between bounds, with an estimate, by version, window, value, lock and scheme")
    func installHours() async throws {
        // windows, window, value, value locks, may end early, hours of the meaning, measurement window, development
        try await check(
            "attribution.install_hours($)",
            """
            Window 0: 48 h and 24 to 48 h | true, '0', '5', false, false, NULL, NULL, NULL, false | (96,84,72)
            Window 1: 168 h and 24 to 144 h | true, '1', '101', false, false, NULL, NULL, NULL, false | (312,252,192)
            Window 2: 840 h and 24 to 144 h | true, '2', '101', false, false, NULL, NULL, NULL, false | (984,924,864)
            A lock: the middle | true, '0', '5', true, true, NULL, NULL, NULL, false | (96,60,24)
            A lock with hours: mean and least | true, '0', '5', true, true, '24', '48', NULL, false | (96,72,48)
            A lock that is not sure | true, '0', '5', false, true, NULL, NULL, NULL, false | (96,84,24)
            Not before the value was set | true, '0', '5', false, true, '24', '48', NULL, false | (96,84,48)
            A lock of window 1 | true, '1', '103', true, true, NULL, NULL, NULL, false | (312,192,72)
            A lock of window 2 | true, '2', '103', true, true, NULL, NULL, NULL, false | (984,588,192)
            Hours before the window | true, '1', '103', true, true, '0', '24', NULL, false | (312,132,72)
            Hours after the window are its end | true, '0', '5', true, true, '72', '96', NULL, false | (96,84,72)
            Up to 3.0, value 0 is the launch | false, '0', '0', false, false, NULL, NULL, '48', false | (48,36,24)
            Value v: 24 · v hours later | false, '0', '5', false, false, NULL, NULL, NULL, false | (168,48,24)
            Not later than the measurement window | false, '0', '63', false, false, NULL, NULL, '48', false | (96,48,24)
            The hours of the meaning | false, '0', '20', false, false, '24', '48', '96', false | (96,72,48)
            Apple's bound holds | false, '0', '1', false, false, '48', '72', '96', false | (72,60,48)
            Without a value it may be any | false, '0', '-1', false, false, NULL, NULL, NULL, false | (1560,36,24)
            Within the measurement window | false, '0', '-1', false, false, NULL, NULL, '48', false | (96,36,24)
            Development: 3 and 10 minutes | true, '0', '5', true, true, '24', '48', NULL, true | (0.25,0.25,0)
            Its window 1: 6 minutes | true, '1', '101', false, false, NULL, NULL, NULL, true | (0.5,0.25,0)
            Its window 2: 9 minutes | true, '2', '101', false, false, NULL, NULL, NULL, true | (0.5,0.25,0)
            Its value 0 up to 3.0 | false, '0', '0', false, false, NULL, NULL, '48', true | (0.25,0.25,0)
            Its value v: 5 minutes a raise | false, '0', '5', false, false, '24', '48', '48', true | (0.75,0.25,0)
            Its 63 raises | false, '0', '-1', false, false, NULL, NULL, '1', true | (5.5,0.25,0)
            """)
    }

    @Test("A day is complete when the last postback that a launch of it can have has arrived")
    func completeFrom() async throws {
        // day, windows, window, measurement window, development
        try await check(
            "attribution.complete_from($) AT TIME ZONE 'UTC'",
            """
            D + 5 | date '2026-01-10', true, '0', NULL | 2026-01-15 00:00:00
            D + 14 | date '2026-01-10', true, '1', NULL | 2026-01-24 00:00:00
            D + 42 | date '2026-01-10', true, '2', NULL | 2026-02-21 00:00:00
            48 hours and the measurement window | date '2026-01-10', false, '0', '48' | 2026-01-15 00:00:00
            In whole days, rounded up | date '2026-01-10', false, '0', '1' | 2026-01-14 00:00:00
            Without one, 63 raises of 24 hours | date '2026-01-10', false, '0', NULL | 2026-03-17 00:00:00
            Development: within hours | date '2026-01-10', true, '2', NULL, true | 2026-01-12 00:00:00
            Also 63 raises of five minutes | date '2026-01-10', false, '0', NULL, true | 2026-01-12 00:00:00
            """)
        try await check(
            "attribution.is_complete(date '2026-01-10', true, '0', NULL, $)",
            """
            At that moment | timestamptz '2026-01-15 00:00Z' | true
            And not before | timestamptz '2026-01-14 23:59:59.999Z' | false
            """)
    }

    @Test("All moments of one quarter of an hour have one answer, also around a change of scheme", .database)
    func quarterHours() async throws {
        for (from, to) in [("2026-06-01 00:00Z", "'2026-08-01 05:15Z'"), ("2026-08-01 05:15Z", "NULL")] {
            try await database.run(
                """
                INSERT INTO attribution.conversion_scheme (
                    advertised_app_id, valid_from, valid_to, name, document, sha256, loaded_at)
                VALUES (1, '\(from)', \(to), 'a', '{}', '', now());
                INSERT INTO attribution.conversion_meaning (
                    advertised_app_id, valid_from, sequence_index, fine, revenue_low, count_low, locks)
                VALUES (1, '\(from)', 0, 5, 0, 0, false)
                """)
        }
        // Every twenty seconds of the days around the change, of both kinds of postbacks.
        let answers = """
            SELECT concat_ws(' ', version, environment) AS version,
                   date_bin('15 minutes', at, '2000-01-01 00:00Z') AS quarter, answer::text AS answer, answer.decoding
              FROM (VALUES ('4.0'), ('3.0')) AS kind (version), (VALUES (NULL), ('development')) AS of (environment),
                   generate_series(timestamptz '2026-08-01 00:00Z', '2026-08-06 12:00Z', '20 seconds') AS at,
                   attribution.answer(1, 'skadnetwork', version, 2, '0', true, '5', false, false,
                                      false, at, environment IS NOT NULL) AS answer
            """
        #expect(
            try await database.column(
                """
                SELECT version || ' ' || quarter FROM (\(answers)) AS answers
                 GROUP BY version, quarter HAVING count(DISTINCT answer) > 1
                """) == [])
        // 24 to 96 hours before the arrival for 4.0, 24 to 48 hours up to 3.0, and 0 to 15 minutes in development.
        #expect(
            try await database.column(
                """
                SELECT version || ' ' || decoding || ' ' || count(DISTINCT quarter) FROM (\(answers)) AS answers
                 GROUP BY version, decoding ORDER BY 1
                """) == [
                    "3.0 ambiguous 96", "3.0 development ambiguous 1", "3.0 development mapped 528", "3.0 mapped 433",
                    "4.0 ambiguous 288", "4.0 development ambiguous 1", "4.0 development mapped 528", "4.0 mapped 241",
                ])
    }
}
