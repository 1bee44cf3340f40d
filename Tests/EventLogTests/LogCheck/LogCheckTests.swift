import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
@testable import PostbackStore

/// The comparison that a service makes on a schedule.
@Suite("State, bodies and log compared on a schedule", .onEachDatabase)
struct LogCheckTests {
    /// What is done to a postback that was accepted and raised once, and which problem the check finds how often.
    private static let changes: [(change: String, problem: LogProblem, places: Int64)] = [
        ("DELETE FROM attribution.postback_log WHERE transaction_id = '%' AND event = 0", .missingEvent, 1),
        ("DELETE FROM attribution.postback_log WHERE transaction_id = '%'", .missingEvent, 2),
        ("DELETE FROM attribution.postback_body WHERE transaction_id = '%'", .missingBody, 2),
        (
            "INSERT INTO attribution.postback_log SELECT * FROM attribution.postback_log "
                + "WHERE transaction_id = '%' AND event = 1", .doubledEvent, 1
        ),
        (
            "INSERT INTO attribution.postback_body SELECT * FROM attribution.postback_body WHERE transaction_id = '%'",
            .doubledBody, 2
        ),
        ("DELETE FROM attribution.postback_state WHERE transaction_id = '%'", .missingState, 1),
    ]

    @Test("What was written since the last check is compared; what does not fit is stored with lane, day and example")
    func written() async throws {
        let deliveries = try Deliveries()
        try await TestDatabase.with { database in
            try await database.withStore { store in
                for result in await store.record(try deliveries.simulated(200, seed: 29)) { _ = try result.get() }
                #expect(try await store.checkLog(again: .zero) == 0)
                for (change, problem, places) in Self.changes {
                    let offers = try deliveries.ofOnePostback([.fine(1), .fine(7)])
                    for offer in offers { _ = try await store.record([offer])[0].get() }
                    let transaction = offers[0].transactionID
                    let place = try #require(
                        try await database.value(
                            """
                            SELECT concat_ws(' ', lane, attribution.day_of_writing(position))
                              FROM attribution.postback_state WHERE transaction_id = '\(transaction)'
                            """))
                    try await database.run(change.replacing("%", with: transaction))
                    #expect(try await store.checkLog(again: .zero) == places, "\(change)")
                    let found = try await store.logProblems()
                    #expect(found.map { "\($0.lane) \($0.day)" } == [place])
                    #expect(found.map(\.problem) == [problem])
                    #expect(found.map(\.postbacks) == [places])
                    #expect(found.map(\.example) == [transaction])
                    // It is found once, and stays until it is mended.
                    #expect(try await store.checkLog(again: .zero) == 0)
                    #expect(try await store.logProblems() == found)
                    // The next change begins with a database that is right.
                    for table in ["postback_log", "postback_body", "postback_state"] {
                        try await database.run(
                            "DELETE FROM attribution.\(table) WHERE transaction_id = '\(transaction)'")
                    }
                    #expect(try await store.checkLog(again: .zero) == 0)
                    #expect(try await store.logProblems() == [])
                }
            }
        }
    }

    @Test("What fits when it is compared again is not stored: the first look may have been during a split")
    func secondLook() async throws {
        let writing = try LogWriting()
        try await TestDatabase.with { database in
            try await database.withStore { store in
                try await writing.record([writing.delivery()], to: store)
                try await database.run(
                    """
                    CREATE TABLE kept AS SELECT * FROM attribution.postback_log;
                    DELETE FROM attribution.postback_log;
                    """)
                let doubted = try await store.lanesThatDiffer()
                #expect(doubted.count == 1)
                #expect(try await store.logProblems() == [])
                try await database.run("INSERT INTO attribution.postback_log SELECT * FROM kept")
                #expect(try await store.storeLogProblems(of: doubted) == 0)
                #expect(try await store.logProblems() == [])
                #expect(try await store.checkLog(again: .zero) == 0)
            }
        }
    }

    @Test("What is removed after it was compared is found, and what is put back is not a problem any more")
    func removedLater() async throws {
        let writing = try LogWriting()
        try await TestDatabase.with { database in
            try await database.withStore { store in
                try await writing.record((0..<30).map { _ in try writing.delivery() }, to: store, batches: 5)
                #expect(try await store.checkLog(again: .zero) == 0)
                try await database.run(
                    """
                    CREATE TABLE kept AS SELECT * FROM attribution.postback_log WHERE ordinal = 1;
                    DELETE FROM attribution.postback_log WHERE ordinal = 1;
                    """)
                let missing = try await database.value("SELECT count(*) FROM kept").flatMap { Int64($0) }
                #expect(try await store.checkLog(again: .zero) == missing)
                #expect(try await store.logProblems().map(\.postbacks).reduce(0, +) == missing)
                try await database.run("INSERT INTO attribution.postback_log SELECT * FROM kept")
                #expect(try await store.checkLog(again: .zero) == 0)
                #expect(try await store.logProblems() == [])
            }
        }
    }

    @Test("Two servers that check at the same time compare each part once")
    func twoServers() async throws {
        let writing = try LogWriting()
        try await TestDatabase.with { database in
            try await database.withStore { store in
                try await writing.record((0..<100).map { _ in try writing.delivery() }, to: store, batches: 10)
                try await database.run("DELETE FROM attribution.postback_log WHERE ordinal % 3 = 0")
                let missing = try #require(
                    try await database.value(
                        "SELECT 100 - count(*) FROM attribution.postback_log"
                    ).flatMap { Int64($0) })
                #expect(missing > 0)
                let found = try await withThrowingTaskGroup(of: Int64.self) { group in
                    for _ in 0..<4 { group.addTask { try await store.checkLog(again: .zero) } }
                    return try await group.reduce(0, +)
                }
                // A server that came while another one held the lane leaves it for the next time.
                let later = try await store.checkLog(again: .zero)
                #expect(found + later == missing)
                #expect(try await store.logProblems().map(\.postbacks).reduce(0, +) == missing)
            }
        }
    }
}

/// Days that are over; a cluster has them as every database has.
@Suite(
    "State, bodies and log of whole days", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct LogDayCheckTests {
    /// As if the days were written and compared three days ago.
    private func age(_ database: TestDatabase) async throws {
        try await database.moveToday(back: 3)
        try await database.run(
            """
            UPDATE attribution.log_check
               SET position = position - (3::bigint << 32), again_position = 0,
                   day = (clock_timestamp() AT TIME ZONE 'UTC')::date - 4
            """)
    }

    @Test("A day is compared once more when it is over, and what has gone since then is found")
    func whole() async throws {
        let writing = try LogWriting()
        try await TestDatabase.with { database in
            try await database.withStore { store in
                let postback = TestPostback()
                for value in [1, 5] { try await writing.record([writing.delivery(postback, value)], to: store) }
                try await writing.record((0..<50).map { _ in try writing.delivery() }, to: store)
                #expect(try await store.checkLog(again: .zero) == 0)
                // Of the raise nothing is left but the row of state.
                try await database.run(
                    """
                    DELETE FROM attribution.postback_log WHERE event = 1;
                    DELETE FROM attribution.postback_body
                     WHERE (lane, position, ordinal)
                           IN (SELECT lane, raised_position, raised_ordinal FROM attribution.postback_state);
                    DELETE FROM attribution.postback_log WHERE transaction_id
                           IN (SELECT transaction_id FROM attribution.postback_state WHERE raised_at IS NULL LIMIT 3);
                    """)
                try await age(database)
                #expect(try await store.checkLog(again: .zero) == 4)
                let problems = try await store.logProblems()
                #expect(Set(problems.map(\.problem)) == [.missingEvent, .missingRaise])
                #expect(problems.map(\.postbacks).reduce(0, +) == 4)
                let day = try #require(problems.first?.day)
                #expect(day.daysSince2000 == PostgresDate(PostbackStore.now()).daysSince2000 - 3)
                #expect(try await store.checkLog(again: .zero) == 0)
                let compared =
                    "SELECT DISTINCT (clock_timestamp() AT TIME ZONE 'UTC')::date - day FROM attribution.log_check"
                #expect(try await database.column(compared) == ["1"])
            }
        }
    }

    @Test("A day whose bodies were dropped is left out, also if something was found on it")
    func dropped() async throws {
        let writing = try LogWriting()
        try await TestDatabase.with { database in
            try await database.withStore { store in
                try await writing.record((0..<20).map { _ in try writing.delivery() }, to: store)
                #expect(try await store.checkLog(again: .zero) == 0)
                try await age(database)
                try await database.run("DELETE FROM attribution.postback_log WHERE ordinal = 1")
                #expect(try await store.checkLog(again: .zero) > 0)
                #expect(try await store.logProblems() != [])
                try await store.fold()
                try await store.foldAnswers()
                var rules = RetentionRules()
                rules.bodyDays = 1
                #expect(try await store.dropExpiredDays(rules).dropped.count == 1)
                #expect(try await store.checkLog(again: .zero) == 0)
                #expect(try await store.logProblems() == [])
            }
        }
    }

    @Test("What was found in lanes that were closed since is not a problem any more: nothing there can be compared")
    func closedLanes() async throws {
        let writing = try LogWriting()
        try await TestDatabase.with { database in
            try await database.withStore { store in
                try await writing.record((0..<20).map { _ in try writing.delivery() }, to: store)
                try await database.run("DELETE FROM attribution.postback_log WHERE ordinal = 1")
                #expect(try await store.checkLog(again: .zero) > 0)
                try await database.run("SELECT attribution.change_lanes(ARRAY[7, 8]::smallint[])")
            }
            try await database.withStore { store in
                let found = try await store.checkLog(again: .zero)
                #expect(found == 0)
                #expect(try await store.logProblems() == [])
                #expect(try await store.repairLog(isDry: false).left == 0)
            }
        }
    }
}
