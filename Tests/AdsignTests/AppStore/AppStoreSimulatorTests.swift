import AdAttribution
import Foundation
import TestSupport
import Testing

@testable import PostbackSimulation

@Suite("Simulating the App Store", .heavyWork)
struct AppStoreSimulatorTests {
    private func simulator(
        customers: Int, seed: UInt64 = 1, _ change: (inout AppStoreSimulator.Configuration) -> Void = { _ in }
    ) throws -> AppStoreSimulator {
        var configuration = AppStoreSimulator.Configuration(seed: seed, customers: customers)
        configuration.sharedSecret = "a-secret-of-the-simulation"
        change(&configuration)
        return try AppStoreSimulator(
            configuration, signer: AppStoreSimulator.signer(rootKey: try SigningKey.generate()))
    }

    private func notifications(_ simulator: AppStoreSimulator) throws -> [DecodedNotification] {
        try (0..<simulator.count).map { try DecodedNotification(#require(try simulator.body(at: $0))) }
    }

    @Test("The same seed gives the same bytes but for signatures, under any root, and another seed gives others")
    func reproducible() throws {
        func texts(seed: UInt64) throws -> [String] {
            try notifications(simulator(customers: 60, seed: seed) { $0.v1Share = 0.3 }).map { try $0.text() }
        }
        let (first, again, other) = (try texts(seed: 7), try texts(seed: 7), try texts(seed: 8))
        #expect(first.count > 150)
        #expect(first == again)
        #expect(Set(first).isDisjoint(with: other))
    }

    @Test("What happens to customers does not depend on the version that tells of it, nor on what arrives")
    func versions() throws {
        let second = try simulator(customers: 200)
        let first = try simulator(customers: 200) { ($0.v1Share, $0.missingShare, $0.isShuffled) = (1, 0.5, true) }
        #expect(first.customers.map { $0.events.map(\.at) } == second.customers.map { $0.events.map(\.at) })
        #expect(first.customers.map { $0.purchases.map(\.price) } == second.customers.map { $0.purchases.map(\.price) })
        #expect(first.undelivered == 0)
        let bodies = try notifications(first)
        #expect(bodies.allSatisfy { $0.payload["password"] as? String == "a-secret-of-the-simulation" })
        #expect(!bodies.contains { $0.listed.contains { $0["price"] != nil || $0["currency"] != nil } })
    }

    @Test("The truth equals a naive sum over the last payload of each transaction, with and without the history")
    func truth() throws {
        let simulator = try simulator(customers: 1_500) {
            ($0.missingShare, $0.refundShare, $0.isShuffled) = (0.1, 0.3, true)
        }
        var delivered = try notifications(simulator)
        #expect(Self.naive(delivered) == Self.sums(simulator.truth(withHistory: false)))
        #expect(simulator.undelivered > 300)
        delivered += try (0..<simulator.undelivered).map {
            try DecodedNotification(#require(try simulator.undeliveredBody(at: $0)))
        }
        #expect(Self.naive(delivered) == Self.sums(simulator.truth(withHistory: true)))
        #expect(simulator.truth(withHistory: true) != simulator.truth(withHistory: false))
    }

    @Test("In version 1 the truth equals the transactions that any list has, and those that any list calls cancelled")
    func truthOfVersion1() throws {
        let simulator = try simulator(customers: 1_500) { ($0.v1Share, $0.refundShare) = (1, 0.3) }
        var listed: [String: Bool] = [:]
        var longest = 0
        for notification in try notifications(simulator) {
            longest = max(longest, notification.listed.count)
            for transaction in notification.listed {
                let id = try #require(transaction["transaction_id"] as? String)
                listed[id] = listed[id] == true || transaction["cancellation_date_ms"] != nil
            }
        }
        let sums = simulator.truth(withHistory: false).sums
        #expect(sums.values.reduce(0) { $0 + $1.transactions } == Int64(listed.count))
        #expect(sums.values.reduce(0) { $0 + $1.revoked } == Int64(listed.values.count { $0 }))
        #expect(sums.allSatisfy { $0.key.environment == .development && $0.value.gross == 0 })
        // Some customers have more purchases than a list holds.
        #expect(longest == 100)
    }

    @Test("Every kind of event occurs, and shares are near what was asked for")
    func shares() throws {
        let simulator = try simulator(customers: 4_000) {
            ($0.v1Share, $0.refundShare, $0.familyShare) = (0.25, 0.2, 0.5)
            ($0.repeatedShare, $0.missingShare) = (0.15, 0.1)
        }
        let v2 = simulator.customers.filter { !$0.isV1 }
        #expect(abs(Double(v2.count) / 4_000 - 0.75) < 0.03)
        let events = v2.flatMap(\.events)
        #expect(Set(events.map(\.name)).count == 21)
        #expect(Set(events.compactMap(\.status)) == [1, 2, 3, 4])
        #expect(abs(Double(simulator.undelivered) / Double(events.count) - 0.1) < 0.02)
        let repeated = Double(simulator.count - simulator.notifications) / 2 / Double(simulator.notifications)
        #expect(abs(repeated - 0.15) < 0.02)
        let purchases = simulator.customers.flatMap(\.purchases)
        let paid = purchases.filter { !$0.isShared && $0.offer != .freeTrial }
        #expect(abs(Double(paid.count { $0.refund != nil }) / Double(paid.count) - 0.2) < 0.02)
        let percentages = Set(paid.compactMap(\.refund).map(\.percentage))
        #expect(percentages.isSuperset(of: [nil, 100_000]) && percentages.count > 100)
        #expect(paid.contains { $0.refund?.reversedAt != nil } && paid.contains { $0.quantity > 1 })
        let ids = simulator.customers.flatMap { customer in customer.purchases.indices.map(customer.transactionID) }
        #expect(Set(ids).count == purchases.count && ids.allSatisfy { $0.count == 18 })
    }

    @Test("Notifications come in the order of their signatures unless some are late or all are shuffled")
    func order() throws {
        func times(_ change: (inout AppStoreSimulator.Configuration) -> Void) throws -> [Int] {
            try notifications(simulator(customers: 150, change)).compactMap { $0.payload["signedDate"] as? Int }
        }
        let inOrder = try times { ($0.lateShare, $0.repeatedShare) = (0, 0) }
        #expect(inOrder == inOrder.sorted() && inOrder.count == Set(inOrder).count)
        let late = try times { ($0.lateShare, $0.repeatedShare) = (0.2, 0) }
        #expect(late != inOrder && late.sorted() == inOrder)
        let shuffled = try times { ($0.repeatedShare, $0.isShuffled) = (0, true) }
        #expect(shuffled.sorted() == inOrder && shuffled.prefix(20) != inOrder.prefix(20))
        // 180 days from 2026-01-01 on.
        #expect(inOrder.allSatisfy { (1_767_225_600_000..<1_782_777_600_000).contains($0) })
    }

    @Test("A wrong value is refused by name")
    func refused() {
        let wrong: [(String, (inout AppStoreSimulator.Configuration) -> Void)] = [
            ("app-store", { $0.customers = 0 }), ("days", { $0.days = 0 }), ("begin", { $0.begin = "yesterday" }),
            ("refund-share", { $0.refundShare = 1.5 }), ("bundle-id", { $0.bundleIDs = ["com.example.é"] }),
            ("bundle-id", { $0.bundleIDs = [] }),
            ("shared-secret-file", { ($0.v1Share, $0.sharedSecret) = (0.5, nil) }),
        ]
        for (field, change) in wrong {
            let error = #expect(throws: FieldError.self) { _ = try simulator(customers: 1, change) }
            #expect(error?.field == field)
        }
    }

    /// What the last payload of each transaction says, for each day, product, and so on.
    private static func naive(_ notifications: [DecodedNotification]) -> [String: [Int64]] {
        var last: [String: [String: Any]] = [:]
        for case let transaction? in notifications.map(\.transaction) {
            let id = transaction["transactionId"] as? String ?? ""
            let isNewer = (transaction["signedDate"] as? Int ?? 0) > (last[id]?["signedDate"] as? Int ?? 0)
            if isNewer { last[id] = transaction }
        }
        var sums: [String: [Int64]] = [:]
        for transaction in last.values {
            let price = transaction["price"] as? Int ?? 0
            let isFree =
                transaction["inAppOwnershipType"] as? String == "FAMILY_SHARED"
                || transaction["offerDiscountType"] as? String == "FREE_TRIAL"
            let gross = isFree ? 0 : price
            let percentage = transaction["revocationPercentage"] as? Int ?? 100_000
            let isRevoked = transaction["revocationDate"] != nil
            let refunded = isRevoked ? Int((Double(gross) * Double(percentage) / 100_000).rounded()) : 0
            let day = Date(timeIntervalSince1970: Double(transaction["purchaseDate"] as? Int ?? 0) / 1_000)
            let key = ["bundleId", "productId", "storefront", "currency", "transactionReason"].map {
                transaction[$0] as? String ?? "-"
            }
            let name = ([day.ISO8601Format(.iso8601.year().month().day())] + key).joined(separator: " ")
            let amounts = [1, isRevoked ? 1 : 0, gross, refunded].map { Int64($0) }
            sums[name] = zip(sums[name] ?? [0, 0, 0, 0], amounts).map { $0 + $1 }
        }
        return sums
    }

    private static func sums(_ truth: AppStoreTruth) -> [String: [Int64]] {
        Dictionary(
            uniqueKeysWithValues: truth.sums.map { cell, sums in
                let key = [
                    cell.day, cell.bundleID, cell.productID, cell.storefront ?? "-", cell.currency ?? "-",
                    cell.isRenewal ? "RENEWAL" : "PURCHASE",
                ]
                return (key.joined(separator: " "), [sums.transactions, sums.revoked, sums.gross, sums.refunded])
            })
    }
}
