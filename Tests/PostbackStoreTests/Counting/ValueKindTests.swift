import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackStore

@Suite(
    "Fine and coarse values of one postback", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason),
    .onEachDatabase, .database)
struct ValueKindTests {
    private let database = TestDatabase.current
    private let keys: TestKeys
    private let time = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)

    init() throws {
        keys = try TestKeys()
    }

    private static let values: [ReportedConversionValue] = [.none, .fine(0), .fine(9), .coarse(.low), .coarse(.high)]

    /// Every order of some values.
    private static func permutations(_ values: [ReportedConversionValue]) -> [[ReportedConversionValue]] {
        guard !values.isEmpty else { return [[]] }
        return values.indices.flatMap { index in
            var rest = values
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    private func rows(_ database: TestDatabase) async throws -> [String: String] {
        let lines = try await database.column(
            """
            SELECT concat_ws(' ', transaction_id, coalesce(first_conversion_value::text, first_coarse_value, '-'),
                             coalesce(conversion_value::text, coarse_value, '-'),
                             coalesce(previous_conversion_value::text, previous_coarse_value, '-'),
                             coalesce(raised_payload ->> 'arrival', '-'), conflicts)
              FROM attribution.postback
             WHERE payload ->> 'arrival' = '0' AND (raised_at IS NULL) = (raised_payload IS NULL)
            """)
        return Dictionary(
            uniqueKeysWithValues: lines.compactMap { $0 }.map { line in
                (String(line.prefix(36)), String(line.dropFirst(37)))
            })
    }

    @Test(
        "Values in every order end as the rules say, in one batch and one by one",
        arguments: ConversionPolicy.allCases, [true, false])
    func orders(_ policy: ConversionPolicy, _ isOneBatch: Bool) async throws {
        let orders = Self.permutations(Self.values)
        let postbacks = try orders.map { _ in try LaterPostback(keys) }
        var model = ValueKindModel(policy)
        var batches: [[PostbackDelivery]] = []
        var expected: [[DeliveryOutcome]] = []
        for arrival in Self.values.indices {
            batches.append(
                try zip(postbacks, orders).map { postback, order in
                    try postback.delivery(order[arrival], arrival: arrival, verifier: keys.verifier, at: time)
                })
            expected.append(
                zip(postbacks, orders).map { postback, order in
                    model.deliver(postback.transactionID, order[arrival], arrival: arrival)
                })
        }
        if isOneBatch {
            batches = [Array(batches.joined())]
            expected = [Array(expected.joined())]
        }
        let offered = batches
        let outcomes = expected
        let rows = model.rows.mapValues(\.text)
        let store = try database.store(policy: policy)
        for (batch, outcomes) in zip(offered, outcomes) {
            let actual = try await store.record(batch).map { try $0.get() }
            #expect(actual == outcomes)
            let differences = try await database.recount()
            #expect(differences == [])
        }
        let stored = try await self.rows(database)
        #expect(stored == rows)
    }

    @Test("Any values in any batches end as the rules say", arguments: ConversionPolicy.allCases, 1...3)
    func random(_ policy: ConversionPolicy, _ seed: UInt64) async throws {
        let values = [.none] + [0, 1, 30, 62, 63].map(ReportedConversionValue.fine) + CoarseConversionValue.each
        let store = try database.store(policy: policy)
        var random = SeededGenerator(seed: seed)
        var model = ValueKindModel(policy)
        let postbacks = try (0..<6).map { number in
            try LaterPostback(keys, didWin: number % 3 != 0, sequenceIndex: Int64(number % 2)) {
                $0.campaignID = number % 2 + 1
                $0.redownload = number > 2
            }
        }
        var arrivals = Array(repeating: 0, count: postbacks.count)
        for _ in 0..<10 {
            var batch: [PostbackDelivery] = []
            var expected: [DeliveryOutcome] = []
            for _ in 0..<Int.random(in: 1...50, using: &random) {
                let number = Int.random(in: 0..<postbacks.count, using: &random)
                let value = values[Int.random(in: 0..<values.count, using: &random)]
                let arrival = arrivals[number]
                arrivals[number] += 1
                batch.append(try postbacks[number].delivery(value, arrival: arrival, verifier: keys.verifier, at: time))
                expected.append(model.deliver(postbacks[number].transactionID, value, arrival: arrival))
            }
            #expect(try await store.record(batch).map { try $0.get() } == expected)
            #expect(try await database.recount() == [])
        }
        #expect(try await rows(database) == model.rows.mapValues(\.text))
    }
}

extension CoarseConversionValue {
    fileprivate static var each: [ReportedConversionValue] { [.coarse(.low), .coarse(.medium), .coarse(.high)] }
}
