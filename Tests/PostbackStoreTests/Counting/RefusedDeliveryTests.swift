import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite(
    "Deliveries that the database refuses", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason),
    .database(lanes: 1))
struct RefusedDeliveryTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    /// Lets a table refuse some transactions.
    private func refuse(_ transactions: [String], in table: String, _ database: TestDatabase) async throws {
        let list = transactions.map { "'\($0)'" }.joined(separator: ",")
        try await database.run(
            "ALTER TABLE attribution.\(table) ADD CONSTRAINT refusal CHECK (transaction_id NOT IN (\(list)))")
    }

    @Test(
        "A refused delivery fails alone, in a batch of any size and whichever table refuses it",
        .database, arguments: [1, 2, 3, 500],
        ["postback_state", "postback_body", "postback_log"])
    func alone(_ count: Int, _ table: String) async throws {
        let batch = try deliveries.many(count)
        let places = Set([0, count / 3, count - 1])
        let refused = places.map { batch[$0].transactionID }
        try await refuse(refused, in: table, database)
        let results = await store.record(batch)
        #expect(results.count == count)
        for (place, result) in results.enumerated() {
            switch result {
            case .success(let outcome): #expect(outcome == .accepted && !places.contains(place))
            case .failure(let error):
                #expect((error as? PostgresError)?.constraint == "refusal" && places.contains(place))
            }
        }
        let stored = count - places.count
        #expect(try await database.counts() == "\(stored) \(stored) \(stored)")
        #expect(try await database.recount() == [])
        try await database.run("ALTER TABLE attribution.\(table) DROP CONSTRAINT refusal")
        let again = try await store.record(batch).map { try $0.get() }
        #expect(again.enumerated().allSatisfy { $1 == (places.contains($0) ? .accepted : .duplicate) })
    }

    @Test("Each delivery of a refused postback fails, and those between have their own outcomes")
    func duplicates() async throws {
        let good = try deliveries.offers([.fine(5), .fine(9), .coarse(.low), .fine(7), .coarse(.low)])
        let bad = try deliveries.offers([.fine(1), .fine(1), .fine(2), .none, .coarse(.high)])
        let batch = zip(good, bad).flatMap { [$0, $1] }
        try await refuse([bad[0].transactionID], in: "postback_state", database)
        try await database.withStore { store in
            let outcomes = await store.record(batch).map { try? $0.get() }
            #expect(outcomes == [.accepted, nil, .raised, nil, .conflict, nil, .duplicate, nil, .conflict, nil])
        }
        #expect(try await database.events("event, previous_value, value") == ["0 -1 5", "1 5 9", "3 9 101", "3 9 101"])
        #expect(try await database.value("SELECT conflicts FROM attribution.postback") == "2")
        #expect(try await database.recount() == [])
    }

    @Test("A raise that is refused fails alone, and the value stays")
    func raise() async throws {
        let offers = try deliveries.offers([.fine(5), .fine(63), .fine(9)])
        let others = try deliveries.many(4)
        try await database.run("ALTER TABLE attribution.postback_state ADD CHECK (value < 63)")
        try await database.withStore { store in
            let outcomes = await store.record(offers + others).map { try? $0.get() }
            #expect(outcomes == [.accepted, nil, .raised, .accepted, .accepted, .accepted, .accepted])
        }
        #expect(try await database.events("event, value").sorted() == ["0 -1", "0 -1", "0 -1", "0 -1", "0 5", "1 9"])
        #expect(try await database.recount() == [])
    }
}
