import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite("The log", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct LogTests {
    private let database = TestDatabase.current
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    @Test("Each event is in the log once, with the value before and the one after or offered", .database(lanes: 1))
    func events() async throws {
        let offers = try deliveries.offers([
            .none, .none, .fine(5), .fine(5), .fine(9), .coarse(.low), .fine(7), .none, .coarse(.low), .fine(63),
        ])
        try await database.withStore { store in
            for offer in offers { _ = try await store.record([offer])[0].get() }
        }
        // Positions count the batches that changed something; each has one delivery.
        let log = try await database.events()
        #expect(
            log == ["0 1 1 0 -1 -1", "0 2 1 1 -1 5", "0 3 1 2 5 9", "0 4 1 3 9 101", "0 5 1 3 9 101", "0 6 1 2 9 63"])
        let times = try await database.value(
            """
            SELECT bool_and((received_at AT TIME ZONE 'UTC')::date = '2026-09-21'
                            AND written_at BETWEEN now() - interval '1 hour' AND now())
              FROM attribution.postback_log
            """)
        #expect(times == "true")
        #expect(try await database.recount() == [])
    }

    @Test("Under the policy first a higher value is a conflict each time")
    func firstPolicy() async throws {
        let offers = try deliveries.offers([.fine(5), .fine(9), .fine(9), .fine(3), .coarse(.low), .none])
        for isOneBatch in [false, true] {
            try await TestDatabase.with(lanes: 1) { database in
                try await database.withStore(policy: .first) { store in
                    if isOneBatch {
                        _ = try await store.record(offers).map { try $0.get() }
                    } else {
                        for offer in offers { _ = try await store.record([offer])[0].get() }
                    }
                }
                let events = try await database.events("event, previous_value, value")
                #expect(events.sorted() == ["0 -1 5", "3 5 101", "3 5 9", "3 5 9"])
                #expect(try await database.value("SELECT conflicts FROM attribution.postback") == "3")
                #expect(try await database.recount() == [])
            }
        }
    }

    @Test("A hundred equal conflicts in one batch are a hundred events, in few statements", .database(lanes: 1))
    func repeatedConflicts() async throws {
        let postback = try LaterPostback(deliveries.keys)
        func offer(_ value: ReportedConversionValue) throws -> PostbackDelivery {
            try postback.delivery(value, verifier: deliveries.keys.verifier, at: Deliveries.time)
        }
        let first = try offer(.fine(5))
        let conflicts = try (0..<100).map { _ in try offer(.coarse(.high)) }
        try await database.withStore { store in
            _ = try await store.record([first])[0].get()
            let outcomes = try await store.record(conflicts).map { try $0.get() }
            #expect(outcomes == Array(repeating: .conflict, count: 100))
        }
        #expect(try await database.counts() == "1 1 101")
        #expect(try await database.value("SELECT conflicts FROM attribution.postback") == "100")
        let rows = try await database.events("event, previous_value, value")
        #expect(rows == ["0 -1 5"] + Array(repeating: "3 5 103", count: 100))
        // A statement that writes has a position of its own.
        let statements = try await database.value("SELECT count(DISTINCT position) FROM attribution.postback_log")
        #expect(statements == "3")
        #expect(try await database.recount() == [])
    }

    @Test("The positions of a lane have no gaps, and no place occurs twice", arguments: [1, 2, 5])
    func places(_ lanes: Int) async throws {
        var random = SeededGenerator(seed: 5)
        let postbacks = try (0..<40).map { _ in try LaterPostback(deliveries.keys) }
        let values = [.none] + [0, 30, 63].map(ReportedConversionValue.fine) + [.coarse(.low), .coarse(.high)]
        let batches = try (0..<24).map { _ in
            try (0..<Int.random(in: 1...30, using: &random)).map { _ in
                try postbacks[Int.random(in: 0..<postbacks.count, using: &random)].delivery(
                    values[Int.random(in: 0..<values.count, using: &random)], verifier: deliveries.keys.verifier,
                    at: Deliveries.time)
            }
        }
        try await TestDatabase.with(lanes: lanes) { database in
            try await database.withStore { first in
                try await database.withStore { second in
                    try await withThrowingTaskGroup { group in
                        for (number, store) in [first, second].enumerated() {
                            group.addTask {
                                for batch in batches[(number * 12)..<(number * 12 + 12)] {
                                    _ = try await store.record(batch).map { try $0.get() }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                }
            }
            let gaps = try await database.value(
                """
                SELECT count(*) FROM (
                    SELECT lane, count(DISTINCT position), min(position & 4294967295), max(position & 4294967295)
                      FROM attribution.postback_log
                     GROUP BY lane) AS lanes (lane, positions, first, last)
                 WHERE first <> 1 OR last <> positions
                """)
            #expect(gaps == "0")
            let twice = try await database.value(
                """
                SELECT count(*) - count(DISTINCT (lane, position, ordinal)) FROM attribution.postback_log
                """)
            #expect(twice == "0")
            let ordinals = try await database.value("SELECT min(ordinal) FROM attribution.postback_log")
            #expect(ordinals == "1")
            #expect(try await database.recount() == [])
        }
    }

    @Test("The log and the state of each postback agree", .database)
    func sameAsState() async throws {
        var random = SeededGenerator(seed: 6)
        let postbacks = try (0..<30).map { _ in try LaterPostback(deliveries.keys) }
        let values = [.none] + [0, 30, 63].map(ReportedConversionValue.fine) + [.coarse(.low), .coarse(.high)]
        try await database.withStore { store in
            for _ in 0..<20 {
                let batch = try (0..<20).map { _ in
                    try postbacks[Int.random(in: 0..<postbacks.count, using: &random)].delivery(
                        values[Int.random(in: 0..<values.count, using: &random)],
                        verifier: deliveries.keys.verifier, at: Deliveries.time)
                }
                _ = try await store.record(batch).map { try $0.get() }
            }
        }
        let differences = try await database.column(
            """
            SELECT (log, state)::text
              FROM (SELECT transaction_id, count(*) FILTER (WHERE event = 0) AS accepted,
                           max(value) FILTER (WHERE event < 3) AS value,
                           max(value) FILTER (WHERE event = 0) AS first_value,
                           count(*) FILTER (WHERE event = 1) <= 1 AS is_raised_first_once,
                           count(*) FILTER (WHERE event = 3) AS conflicts
                      FROM attribution.postback_log GROUP BY transaction_id) AS log
              FULL JOIN attribution.postback_state AS state USING (transaction_id)
             WHERE (log.accepted, log.value, log.first_value, log.conflicts, is_raised_first_once)
                   IS DISTINCT FROM (1::bigint, state.value, state.first_value, state.conflicts::bigint, true)
            """)
        #expect(differences == [])
        let raises = try await database.value(
            """
            SELECT count(*) FROM attribution.postback_state AS state
             WHERE raised_position IS NOT NULL AND NOT EXISTS (
                   SELECT FROM attribution.postback_log AS log
                    WHERE log.lane = state.lane AND log.position = state.raised_position
                      AND log.ordinal = state.raised_ordinal AND log.transaction_id = state.transaction_id
                      AND log.event IN (1, 2) AND log.value = state.value
                      AND log.previous_value = state.previous_value)
            """)
        #expect(raises == "0")
    }

    @Test(
        "A batch that fails writes neither state, body nor log",
        .database, arguments: ["postback_state", "postback_body", "postback_log"])
    func failure(_ table: String) async throws {
        let batch = try deliveries.many(6)
        let again = try deliveries.offers([.fine(5), .coarse(.low), .fine(5), .fine(9), .coarse(.low)])
        try await database.run(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'out of order'; END $$;
            CREATE TRIGGER refuse AFTER INSERT ON attribution.\(table)
            FOR EACH ROW EXECUTE FUNCTION refuse()
            """)
        try await database.withStore { store in
            for deliveries in [batch, again] {
                #expect(await store.record(deliveries).allSatisfy { (try? $0.get()) == nil })
            }
            #expect(try await database.counts() == "0 0 0")
            try await database.run("DROP TRIGGER refuse ON attribution.\(table)")
            _ = try await store.record(batch + again).map { try $0.get() }
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.postback_state") == "7")
        #expect(try await database.recount() == [])
    }

    @Test("Rows of the log and of the bodies are never updated or deleted", .database)
    func insertOnly() async throws {
        let offers = try deliveries.offers([.fine(5), .fine(9), .coarse(.low), .coarse(.low), .fine(63)])
        try await database.run(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'changed'; END $$;
            CREATE TRIGGER refuse BEFORE UPDATE OR DELETE ON attribution.postback_log
            FOR EACH ROW EXECUTE FUNCTION refuse();
            CREATE TRIGGER refuse BEFORE UPDATE OR DELETE ON attribution.postback_body
            FOR EACH ROW EXECUTE FUNCTION refuse()
            """)
        try await database.withStore { store in
            _ = try await store.record(offers).map { try $0.get() }
            for offer in offers { _ = try await store.record([offer])[0].get() }
            #expect(try await store.fold() > 0)
            _ = try await store.record(offers).map { try $0.get() }
        }
        #expect(try await database.recount() == [])
    }
}
