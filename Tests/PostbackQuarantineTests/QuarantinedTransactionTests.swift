import AdAttribution
import PostbackStore
import PostgresClient
import TestSupport
import Testing

@testable import PostbackQuarantine

/// The protected half: one row for each transaction, and no value of it lost.
@Suite("Quarantined transactions", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct QuarantinedTransactionTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    @Test("The bodies of one transaction are one row with the first body, the last one that raised, and all attempts")
    func oneRow() async throws {
        let refused = try Refused()
        func deliver(_ values: [(Int?, Int64)]) async throws {
            try await store.quarantine(
                values.map { value, second in
                    try refused.verdict(on: TestKeys.apple(conversionValue: value), second: second)
                })
        }
        try await deliver([(20, 10)])
        #expect(try await database.value("SELECT raised_body IS NULL FROM attribution.rejected_postback") == "true")
        try await deliver([(7, 20), (40, 30), (20, 35), (nil, 36), (39, 40)])
        try await deliver([(41, 5), (40, 50)])
        #expect(
            try await database.column(
                """
                SELECT concat_ws(' ', protected, rank, reason, conversion_value, attempts,
                                 extract(epoch FROM first_seen_at)::bigint - 1790000000,
                                 extract(epoch FROM last_seen_at)::bigint - 1790000000,
                                 extract(epoch FROM raised_at)::bigint - 1790000000)
                  FROM attribution.rejected_postback
                """) == ["t 2 unknown_network 41 8 5 50 5"])
        #expect(try await database.quarantineUsage() == database.quarantineRecount())
        let kept = try #require(try await store.quarantinedBodies(after: nil, limit: 10).first)
        #expect(kept.isProtected)
        #expect(try kept.deliveries.map(\.body) == [20, 41].map { try TestKeys.apple(conversionValue: $0) })
        #expect(try await store.removeFromQuarantine([kept]) == 1)
        #expect(try await database.quarantineUsage() == ["f 0 0", "t 0 0"])
    }

    @Test("The two stored bodies give the same value as all bodies, whatever the order of arrival")
    func values() async throws {
        var random = SeededGenerator(seed: 9)
        let kinds: [ReportedConversionValue] =
            [.none, .coarse(.low), .coarse(.medium), .coarse(.high)] + (0..<5).map { .fine($0) }
        let sequences = (0..<60).map { _ in
            (0..<Int.random(in: 1...12, using: &random)).map { _ in kinds.randomElement(using: &random) ?? .none }
        }
        let batchSizes = sequences.map { _ in Int.random(in: 1...5, using: &random) }
        for (number, (values, size)) in zip(sequences, batchSizes).enumerated() {
            for start in stride(from: 0, to: values.count, by: size) {
                let batch = try (start..<min(start + size, values.count)).map { place in
                    try Refused.signedByApple(
                        "\(number)", values[place], body: "{\"\(number)\":\(place)}", second: Int64(number))
                }
                try await store.quarantine(batch)
            }
        }
        let kept = try await store.quarantinedBodies(after: nil, limit: 100)
        #expect(kept.count == sequences.count)
        for (number, values) in sequences.enumerated() {
            let bodies = try #require(kept.first { $0.firstSeenAt == Refused.time(Int64(number)) }).deliveries
            let offered = try bodies.map { delivery in
                let text = String(decoding: delivery.body, as: UTF8.self)
                let place = try #require(Int(text.split(separator: ":").last?.dropLast() ?? ""))
                return values[place]
            }
            #expect(offered.first == values.first)
            #expect(Self.counted(offered) == Self.counted(values), "\(values)")
        }
        #expect(try await database.quarantineUsage() == database.quarantineRecount())
    }

    /// What counting comes to, written down a second time: the highest value of the kind that was offered first.
    private static func counted(_ offered: [ReportedConversionValue]) -> String {
        switch offered.first(where: { $0 != .none }) {
        case nil, .some(.none): "none"
        case .fine: "fine \(offered.compactMap(\.fine?.value).max() ?? 0)"
        case .coarse: "coarse \(offered.compactMap(\.coarse).max()?.rawValue ?? "")"
        }
    }

    @Test("A transaction stays if a higher value came after it was read, and is removed when that was counted too")
    func raisedMeanwhile() async throws {
        try await store.quarantine([Refused.signedByApple("a", .fine(1)), Refused.signedByApple("b", .fine(1))])
        let read = try await store.quarantinedBodies(after: nil, limit: 10)
        try await store.quarantine([Refused.signedByApple("a", .fine(2)), Refused.signedByApple("b", .fine(1))])
        #expect(try await store.removeFromQuarantine(read) == 1)
        let rest = try await store.quarantinedBodies(after: nil, limit: 10)
        #expect(rest.map(\.deliveries.count) == [2])
        // Gone and come anew with another first body: that one was not read either.
        #expect(try await store.removeFromQuarantine(rest) == 1)
        try await store.quarantine([Refused.signedByApple("a", .fine(3))])
        #expect(try await store.removeFromQuarantine(read) == 0)
        #expect(try await store.quarantineRows() == 1)
        #expect(try await database.quarantineUsage() == database.quarantineRecount())
    }

    @Test("The address and the User-Agent of the first delivery and of the one that raised are kept")
    func origins() async throws {
        let origins = [
            DeliveryOrigin(address: IPAddress("192.0.2.7"), userAgent: "first"),
            DeliveryOrigin(address: IPAddress("2001:db8::1"), userAgent: "second"),
            DeliveryOrigin(address: nil, userAgent: "thïrd \u{1F4F1}"), .unknown,
        ]
        for (second, origin) in origins.enumerated() {
            let second = Int64(second)
            try await store.quarantine([
                Refused.malformed("{}", second: second, origin: origin),
                Refused.malformed("{\"n\":\(second)}", second: 10 + second, origin: origin),
                Refused.signedByApple("a", .fine(min(second, 2)), second: 20 + second, origin: origin),
            ])
        }
        let kept = try await store.quarantinedBodies(after: nil, limit: 10)
        #expect(kept.map(\.first.origin) == [origins[0]] + origins + [origins[0]])
        #expect(kept.map(\.raised?.origin) == [nil, nil, nil, nil, nil, origins[2]])
        #expect(
            try await database.value(
                """
                SELECT concat_ws(' ', source_address, user_agent) FROM attribution.rejected_postback
                 WHERE source_address << '2001:db8::/32'
                """) == "2001:db8::1 second")
        #expect(try await database.quarantineUsage() == database.quarantineRecount())
    }

    @Test("Two servers at once keep one row for each transaction, and its highest value")
    func writers() async throws {
        let values = (0..<200).map { Int64($0 * 37 % 64) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in 0..<2 {
                group.addTask {
                    try await database.withStore(size: 2) { store in
                        for start in stride(from: server, to: values.count, by: 20) {
                            let batch = try stride(from: start, to: min(start + 20, values.count), by: 2).map {
                                try Refused.signedByApple("\($0 % 7)", .fine(values[$0]), second: Int64($0))
                            }
                            // The other way round, so that the order of the rows decides nothing.
                            try await store.quarantine(server == 0 ? batch : batch.reversed())
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let highest = (0..<7).map { transaction in
            values.indices.filter { $0 % 7 == transaction }.map { values[$0] }.max() ?? 0
        }
        #expect(
            try await database.column("SELECT conversion_value FROM attribution.rejected_postback").compactMap {
                $0
            }
            .sorted() == highest.map { "\($0)" }.sorted())
        #expect(try await database.value("SELECT sum(attempts) FROM attribution.rejected_postback") == "200")
        #expect(try await database.quarantineUsage() == database.quarantineRecount())
    }
}
