import AdAttribution
import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite(
    "Counting each postback once", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .onEachDatabase)
struct CountingTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let keys: TestKeys
    private let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)

    init() throws {
        keys = try TestKeys()
    }

    private func delivery(_ postback: TestPostback, value: Int?) throws -> PostbackDelivery {
        var postback = postback
        postback.conversionValue = value
        return PostbackDelivery(try keys.verified(postback.body(keys.postbackKey)), receivedAt: time)
    }

    private func rows(_ database: TestDatabase) async throws -> [String: CountingModel.Row] {
        let lines = try await database.column(
            """
            SELECT concat_ws(' ', transaction_id, coalesce(first_conversion_value, -1),
                             coalesce(conversion_value, -1), conflicts)
              FROM attribution.postback
            """)
        var rows: [String: CountingModel.Row] = [:]
        for line in lines.compactMap({ $0 }) {
            let parts = line.split(separator: " ")
            let values = try parts.dropFirst().map { try #require(Int($0)) }
            rows[String(parts[0])] = .init(
                first: values[0] < 0 ? nil : values[0], current: values[1] < 0 ? nil : values[1], conflicts: values[2])
        }
        return rows
    }

    /// Values of one postback in order of arrival, whose outcomes cover all that can happen.
    static let sequences: [[Int?]] = [
        [20, 20, 40, 7, 40, nil, 63, 0], [nil, nil, 0, 0, 1], [0, nil, 0], [63, 0, 62, 63], [nil, 5, nil, 5, 9, 7],
        Array(repeating: 5, count: 50),
    ]

    @Test(
        "One by one or in one batch, the outcomes and the row follow the rules",
        arguments: sequences, ConversionPolicy.allCases)
    func sequence(_ values: [Int?], _ policy: ConversionPolicy) async throws {
        for isBatch in [false, true] {
            try await TestDatabase.with { database in
                try await database.withStore(policy: policy) { store in
                    var model = CountingModel(policy)
                    let postback = TestPostback()
                    let deliveries = try values.map { try delivery(postback, value: $0) }
                    let expected = values.map { model.deliver(postback.transactionID, $0) }
                    var outcomes: [DeliveryOutcome] = []
                    if isBatch {
                        outcomes = try await store.record(deliveries).map { try $0.get() }
                    } else {
                        for delivery in deliveries { outcomes.append(try await store.record([delivery])[0].get()) }
                    }
                    #expect(outcomes == expected)
                    #expect(try await rows(database) == model.rows)
                    #expect(try await database.recount() == [])
                }
            }
        }
    }

    @Test(
        "Values in any order and in any batches end as the rules say", .database, arguments: ConversionPolicy.allCases,
        1...4)
    func random(_ policy: ConversionPolicy, _ seed: Int) async throws {
        let store = try database.store(policy: policy)
        var random = SeededGenerator(seed: UInt64(seed))
        var model = CountingModel(policy)
        let postbacks = (0..<12).map { _ in TestPostback() }
        for _ in 0..<12 {
            let drawn = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                (
                    postbacks[Int.random(in: 0..<postbacks.count, using: &random)],
                    Bool.random(using: &random) ? Int.random(in: 0...63, using: &random) : nil
                )
            }
            let expected = drawn.map { model.deliver($0.0.transactionID, $0.1) }
            let outcomes = await store.record(try drawn.map { try delivery($0.0, value: $0.1) })
            #expect(try outcomes.map { try $0.get() } == expected)
        }
        #expect(try await rows(database) == model.rows)
        #expect(try await database.recount() == [])
    }

    @Test("Two servers with the same keys in opposite orders do not deadlock, and count each once", .database)
    func twoStores() async throws {
        let postbacks = (0..<60).map { index in TestPostback { $0.campaignID = index % 5 + 1 } }
        let outcomes = try await database.withStore(size: 3) { first in
            try await database.withStore(size: 3) { second in
                try await withThrowingTaskGroup(of: [DeliveryOutcome].self) { group in
                    for task in 0..<6 {
                        let store = task % 2 == 0 ? first : second
                        group.addTask {
                            var outcomes: [DeliveryOutcome] = []
                            for round in 0..<8 {
                                var batch = try postbacks.map { try delivery($0, value: (round * 7 + task) % 64) }
                                if (task + round) % 2 == 0 { batch.reverse() }
                                outcomes += try await store.record(batch).map { try $0.get() }
                            }
                            return outcomes
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
            }
        }
        #expect(outcomes.count == 6 * 8 * 60)
        #expect(outcomes.count { $0 == .accepted } == 60)
        #expect(try await database.value("SELECT min(conversion_value) FROM attribution.postback") == "54")
        #expect(try await database.recount() == [])
        #expect(
            try await database.value("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
                == "0")
    }

    @Test("A raise keeps the first value, the previous one, both bodies and the time", .database)
    func raise() async throws {
        let bodies = try [20, 30, 40].map { try TestKeys.apple(conversionValue: $0) }
        for (minute, body) in bodies.enumerated() {
            let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000 + Int64(minute) * 60_000)
            let outcome = await store.record([.init(try keys.verified(body), receivedAt: time)])
            #expect(try outcome[0].get() == (minute == 0 ? .accepted : .raised))
        }
        #expect(
            try await database.value(
                """
                SELECT concat_ws(' ', environment, first_conversion_value, previous_conversion_value,
                                 conversion_value, raised_at - received_at, signing_key)
                  FROM attribution.postback
                """) == "production 20 30 40 00:02:00 apple-skadnetwork-p192")
        #expect(
            try await database.value("SELECT payload FROM attribution.postback")
                == String(decoding: bodies[0], as: UTF8.self))
        #expect(
            try await database.value("SELECT raised_payload FROM attribution.postback")
                == String(decoding: bodies[2], as: UTF8.self))
    }

    @Test("A postback under a test key with a genuine one's ids does not change that one", .database)
    func environmentsApart() async throws {
        _ = await store.record([.init(try keys.verified(TestKeys.apple()), receivedAt: time)])
        let row = "SELECT p::text FROM attribution.postback AS p WHERE environment = 'production'"
        let views = "SELECT v::text FROM attribution.report_campaign_daily AS v"
        let before = (try await database.value(row), try await database.column(views))
        let forged = TestPostback {
            $0.adNetworkID = "com.example"
            $0.transactionID = "6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28"
            $0.redownload = true
        }
        let outcome = await store.record([try delivery(forged, value: 63)])
        #expect(try outcome[0].get() == .accepted)
        #expect((try await database.value(row), try await database.column(views)) == before)
        #expect(try await database.value("SELECT count(*) FROM attribution.postback") == "2")
        #expect(try await database.recount() == [])
    }

    @Test("The letter case of the transaction id does not make another postback", .database)
    func letterCase() async throws {
        var postback = TestPostback()
        _ = await store.record([try delivery(postback, value: nil)])
        postback.transactionID = postback.transactionID.uppercased()
        #expect(try await store.record([delivery(postback, value: nil)])[0].get() == .duplicate)
    }

    @Test("The day is the UTC day of receipt, whatever the database's time zone is", .database)
    func dayBoundary() async throws {
        try await database.run(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = ''Asia/Tokyo''', current_database()); END $$"
        )
        // 2026-09-21 00:00 UTC
        let midnight: Int64 = 1_789_948_800_000
        for offset in [Int64(-1), 0] {
            let verified = try keys.verified(TestPostback().body(keys.postbackKey))
            _ = await store.record([.init(verified, receivedAt: .init(millisecondsSince1970: midnight + offset))])
        }
        #expect(
            try await database.column("SELECT day FROM attribution.campaign_figure ORDER BY day")
                == ["2026-09-20", "2026-09-21"])
        #expect(try await database.recount() == [])
    }
}
