import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite("State, bodies and log compared", .onEachDatabase)
struct LogComparisonTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    /// What is done to a postback that was accepted and raised once, and what the comparison says of how many places.
    private static let changes = [
        ("DELETE FROM attribution.postback_log WHERE transaction_id = '%' AND event = 0", "no event in the log 1"),
        ("DELETE FROM attribution.postback_log WHERE transaction_id = '%' AND event = 1", "no event in the log 1"),
        ("DELETE FROM attribution.postback_body WHERE transaction_id = '%'", "no body 2"),
        (
            "INSERT INTO attribution.postback_log SELECT * FROM attribution.postback_log "
                + "WHERE transaction_id = '%' AND event = 0", "more than one event in the log 1"
        ),
        (
            "INSERT INTO attribution.postback_body SELECT * FROM attribution.postback_body WHERE transaction_id = '%'",
            "more than one body 2"
        ),
        ("DELETE FROM attribution.postback_state WHERE transaction_id = '%'", "accepted, and no row of state 1"),
    ]

    @Test(
        "What batches write fits together; an event, a body or a row that is missing or doubled is found with its lane",
        .database)
    func differences() async throws {
        let deliveries = try Deliveries()
        #expect(try await store.record(try deliveries.many(30)).areAll(.accepted))
        for result in await store.record(try deliveries.simulated(200, seed: 29)) { _ = try result.get() }
        for (change, problem) in Self.changes {
            let offers = try deliveries.ofOnePostback([.fine(1), .fine(7), .coarse(.high)])
            var outcomes: [DeliveryOutcome] = []
            for offer in offers { outcomes += try await store.record([offer]).map { try $0.get() } }
            #expect(outcomes == [.accepted, .raised, .conflict])
            #expect(try await database.logProblems() == [])
            let transaction = offers[0].transactionID
            let lane = try await database.value(
                "SELECT lane FROM attribution.postback_state WHERE transaction_id = '\(transaction)'")
            try await database.run(change.replacing("%", with: transaction))
            let found = try await database.logProblems()
            #expect(found == ["\(try #require(lane)) \(problem) \(transaction)"], "\(change)")
            // The next change begins with a database that is right.
            for table in ["postback_log", "postback_body", "postback_state"] {
                try await database.run("DELETE FROM attribution.\(table) WHERE transaction_id = '\(transaction)'")
            }
        }
    }
}
