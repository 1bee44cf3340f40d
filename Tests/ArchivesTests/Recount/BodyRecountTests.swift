import PostbackStore
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import Archives

@Suite(
    "The recount from the signed bodies", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason),
    .onEachDatabase)
struct BodyRecountTests {
    private let deliveries: Deliveries

    init() throws {
        deliveries = try Deliveries()
    }

    private func differences(
        _ store: PostbackStore, pageSize: Int = 7
    ) async throws -> (summary: BodyRecount.Summary, found: [BodyDifference]) {
        var found: [BodyDifference] = []
        let recount = BodyRecount(store: store, keyRing: deliveries.keys.keyRing, pageSize: pageSize)
        let summary = try await recount.run { found.append($0) }
        return (summary, found)
    }

    /// Postbacks of every kind, and one that was raised three times.
    private func withStore(_ body: (PostbackStore, TestDatabase, _ raised: String) async throws -> Void) async throws {
        let simulated = try deliveries.simulated(300, seed: 34)
        let raised = TestPostback().transactionID
        try await TestDatabase.with { database in
            try await database.withStore { store in
                for result in await store.record(simulated) { _ = try result.get() }
                for value in [3, 5, 9, 20] {
                    let delivery = try deliveries.one {
                        $0.transactionID = raised
                        $0.conversionValue = value
                    }
                    for result in await store.record([delivery]) { _ = try result.get() }
                }
                try await body(store, database, raised)
            }
        }
    }

    @Test("All bodies verify and fit the state, whatever a page holds", arguments: [1, 7, 1_000])
    func fits(pageSize: Int) async throws {
        try await withStore { store, database, _ in
            let (summary, found) = try await differences(store, pageSize: pageSize)
            #expect(found == [])
            let bodies = try await database.value("SELECT count(*) FROM attribution.postback_body")
            #expect("\(summary.bodies)" == bodies)
        }
    }

    /// What may go wrong in the row of state of the postback that was raised, or in its bodies.
    ///
    /// And the fields that differ then.
    private static let faults: [(statement: String, fields: [String])] = [
        ("UPDATE attribution.postback_state SET value = 21", ["value"]),
        ("UPDATE attribution.postback_state SET first_value = 4", ["first_value"]),
        ("UPDATE attribution.postback_state SET source = 1234", ["source"]),
        ("UPDATE attribution.postback_state SET received_at = '2020-01-01 00:00:00+00'", ["received_at"]),
        // Another line of the same network.
        ("UPDATE attribution.postback_state SET line = ANOTHER", ["line"]),
        ("UPDATE attribution.postback_state SET sequence_index = 1", ["state", "state", "state", "state"]),
        ("DELETE FROM attribution.postback_state", ["state", "state", "state", "state"]),
        (
            """
            UPDATE attribution.postback_state
               SET value = first_value, raised_at = NULL, raised_position = NULL, raised_ordinal = NULL
            """, ["value", "value", "value"]
        ),
        (
            "UPDATE attribution.postback_body SET payload = replace(payload, '\"app-id\":', '\"app-id\":1')",
            ["signature", "signature", "signature", "signature"]
        ),
        ("UPDATE attribution.postback_body SET payload = 'x'", ["signature", "signature", "signature", "signature"]),
    ]

    @Test("A row of state that its bodies do not say, and a body that no key signed, are found", arguments: faults)
    func foundFault(statement: String, fields: [String]) async throws {
        try await withStore { store, database, raised in
            let lane = try #require(
                try await database.value(
                    "SELECT lane FROM attribution.postback_state WHERE transaction_id = '\(raised)'"))
            let another = try #require(
                try await database.value(
                    """
                    SELECT min(line.line) FROM attribution.line
                      JOIN attribution.postback_state AS state USING (network)
                     WHERE state.transaction_id = '\(raised)' AND line.line <> state.line
                    """))
            let changed = statement.replacing("ANOTHER", with: another)
            try await database.run("\(changed) WHERE transaction_id = '\(raised)' AND lane = \(lane)")
            let (summary, found) = try await differences(store)
            #expect(found.map(\.field) == fields)
            #expect(found.allSatisfy { $0.transactionID == raised })
            #expect(summary.differences == Int64(fields.count))
        }
    }
}
