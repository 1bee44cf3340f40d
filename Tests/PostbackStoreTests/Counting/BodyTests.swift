import Encodings
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite("Bodies", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct BodyTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// Deliveries of one postback, each from another address.
    private func offers(_ values: [ReportedConversionValue], unsigned: [String: String] = [:]) throws
        -> [PostbackDelivery]
    {
        try deliveries.offers(values) { $0.unsigned = unsigned }.enumerated().map { arrival, delivery in
            let address = arrival % 2 == 0 ? "192.0.2.\(arrival)" : "2001:db8::\(arrival)"
            return PostbackDelivery(
                delivery.verified, receivedAt: delivery.receivedAt,
                origin: DeliveryOrigin(address: IPAddress(address), userAgent: "agent/\(arrival) é"))
        }
    }

    private func text(_ delivery: PostbackDelivery) -> String {
        String(decoding: delivery.verified.postback.body, as: UTF8.self)
    }

    @Test("The body of the first delivery and of each raise is kept with its origin, and no other")
    func kept() async throws {
        let offers = try offers([.fine(5), .fine(5), .fine(9), .coarse(.low), .fine(20), .none])
        for isOneBatch in [false, true] {
            try await TestDatabase.with { database in
                try await database.withStore { store in
                    for batch in isOneBatch ? [offers] : offers.map({ [$0] }) {
                        _ = try await store.record(batch).map { try $0.get() }
                    }
                }
                let bodies = try await database.column(
                    """
                    SELECT concat_ws(' ', host(source_address), user_agent, payload) FROM attribution.postback_body
                     ORDER BY position
                    """)
                #expect(
                    bodies == [
                        "192.0.2.0 agent/0 é \(text(offers[0]))", "192.0.2.2 agent/2 é \(text(offers[2]))",
                        "192.0.2.4 agent/4 é \(text(offers[4]))",
                    ])
                let row = try await database.column(
                    """
                    SELECT unnest(ARRAY[host(source_address), user_agent, payload::text, raised_payload::text])
                      FROM attribution.postback NATURAL JOIN attribution.postback_origin
                    """)
                #expect(row == ["192.0.2.0", "agent/0 é", text(offers[0]), text(offers[4])])
                // All rows of the postback are found by it: a body carries its line, lane and transaction.
                let others = try await database.value(
                    """
                    SELECT count(*) FROM attribution.postback_body AS body
                      JOIN attribution.postback_state AS state USING (transaction_id, line, lane)
                     WHERE body.received_at = state.received_at
                    """)
                #expect(others == "3")
            }
        }
    }

    @Test("A body is returned byte for byte, whatever its JSON is and however it is spaced", .database)
    func exact() async throws {
        let unsigned = [
            "note": "\"Größe 🦆 \\u00e9\\n\\t\\\\ \\\"quoted\\\" \\ud83e\\udd86 '$1' ;-- %s\"", "empty": "  {  }  ",
            "list": "[ 1e400,\t-0.0 , true,null, \"\\/\" ]", "ключ": "\"значение\"",
        ]
        let offers = try offers([.fine(5), .fine(9)], unsigned: unsigned)
        try await database.withStore { store in _ = try await store.record(offers).map { try $0.get() } }
        let stored = try await database.column(
            "SELECT encode(convert_to(payload, 'UTF8'), 'hex') FROM attribution.postback_body ORDER BY position")
        #expect(stored == offers.map { Hexadecimal.text($0.verified.postback.body) })
        let shown = try await database.column(
            "SELECT unnest(ARRAY[payload::text, raised_payload::text]) FROM attribution.postback")
        #expect(shown == offers.map(text))
    }

    @Test("A delivery of unknown origin shows neither address nor User-Agent", .database)
    func unknownOrigin() async throws {
        let delivery = try deliveries.one()
        try await database.withStore { store in _ = try await store.record([delivery])[0].get() }
        let absent = try await database.value(
            """
            SELECT source_address IS NULL AND user_agent IS NULL AND payload IS NOT NULL
              FROM attribution.postback NATURAL JOIN attribution.postback_origin
            """)
        #expect(absent == "true")
    }

    @Test(
        "If the bodies of a day were dropped, each postback is still shown, without its bodies and its origin",
        .database)
    func droppedDay() async throws {
        let offers = try offers([.fine(5), .fine(9), .coarse(.low)])
        let others = try deliveries.many(5)
        let bodiless = """
            SELECT to_jsonb(p) - ARRAY['payload', 'raised_payload']
              FROM attribution.postback AS p ORDER BY transaction_id
            """
        _ = try await store.record(offers + others).map { try $0.get() }
        let before = try await database.column(bodiless)
        let partition = try await database.value("SELECT DISTINCT tableoid::regclass FROM attribution.postback_body")
        try await database.run("DROP TABLE \(try #require(partition))")
        #expect(try await database.column(bodiless) == before)
        #expect(before.count == 6)
        let bodies = try await database.value(
            """
            SELECT num_nonnulls(
                       max(payload::text), max(raised_payload::text), max(source_address), max(user_agent))
              FROM attribution.postback NATURAL JOIN attribution.postback_origin
            """)
        #expect(bodies == "0")
        #expect(try await database.recount() == [])
        // And it still counts once.
        #expect(try await store.record(others).areAll(.duplicate))
        #expect(try await store.record(try self.offers([.fine(30)])).areAll(.accepted))
        #expect(try await database.recount() == [])
    }

    @Test("Two postbacks of one transaction in one batch keep their own bodies", .database)
    func oneTransaction() async throws {
        let transaction = TestPostback().transactionID
        let batch = try [(true, Int64(0)), (false, 0), (true, 1), (true, 2)].map { didWin, index in
            try LaterPostback(deliveries.keys, didWin: didWin, sequenceIndex: index) { $0.transactionID = transaction }
                .delivery(
                    .fine(5), arrival: Int(index) * 10 + (didWin ? 1 : 0), verifier: deliveries.keys.verifier,
                    at: Deliveries.time)
        }
        try await database.withStore { store in
            let areAccepted = try await store.record(batch).areAll(.accepted)
            #expect(areAccepted)
        }
        let rows = try await database.column(
            "SELECT concat_ws(' ', did_win, sequence_index, payload ->> 'arrival') FROM attribution.postback ORDER BY 1"
        )
        #expect(rows == ["f 0 0", "t 0 1", "t 1 11", "t 2 21"])
        #expect(try await database.recount() == [])
    }
}
