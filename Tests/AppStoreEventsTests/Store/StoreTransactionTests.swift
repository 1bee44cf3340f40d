import AdAttribution
import AppStoreData
import PostbackStore
import PostgresClient
import StrictJSON
import TestSupport
import Testing

@testable import AppStoreEvents

@Suite("Transactions of the App Store", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct StoreTransactionTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let appStore: MadeUpStore

    init() throws {
        appStore = try MadeUpStore()
    }

    private static let rows = """
        SELECT environment, transaction_id, bundle_id, product_id, price, revoked_at IS NOT NULL AS is_revoked,
               extract(epoch FROM signed_at)::bigint - \(MadeUpStore.start) AS signed_at
          FROM attribution.store_transaction JOIN attribution.store_product USING (product)
        """

    /// A transaction without a notification: of V1 if it has no time of signing.
    private func transaction(_ signedAt: Int64?, price: Int64? = nil, revokedAt: Int64? = nil) -> StoreTransaction {
        var transaction = StoreTransaction(
            environment: .test, transactionID: "1", originalTransactionID: "1", bundleID: MadeUpStore.bundleID,
            productID: "com.example.game.gold", purchasedAt: MadeUpStore.milliseconds(0))
        transaction.signedAt = signedAt.map(MadeUpStore.milliseconds)
        transaction.price = price
        transaction.revokedAt = revokedAt.map(MadeUpStore.milliseconds)
        if signedAt != nil { transaction.payloadSHA256 = SHA256.digest(Array("\(transaction)".utf8)) }
        return transaction
    }

    private func offer(_ transactions: [StoreTransaction]) async throws {
        let offers = transactions.map {
            OfferedTransaction($0, receivedAt: MadeUpStore.time(0), accountKey: nil)
        }
        try await store.pool.withTransaction("offer") { connection in
            _ = try connection.pipeline([
                ProductStatements.add(for: offers, []), OfferedTransaction.table.step(offers),
            ])
        }
    }

    @Test(
        "Three versions of a transaction give one row in any order, in three batches and in one",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func anyOrder(_ order: [Int]) async throws {
        func deliveries(_ id: String) throws -> [NotificationDelivery] {
            let versions = [
                appStore.transaction(id, signedAt: 0),
                appStore.transaction(id, signedAt: 10, ["price": 4_990]),
                appStore.transaction(id, signedAt: 20, MadeUpStore.refund),
            ]
            return try order.map { try appStore.delivery(appStore.body("DID_RENEW", transaction: versions[$0])) }
        }
        for delivery in try deliveries("1") { #expect(try await store.record([delivery]) == [.accepted]) }
        #expect(try await store.record(deliveries("2")) == [.accepted, .accepted, .accepted])
        try await database.expect(
            Self.rows,
            """
            environment  transaction_id  bundle_id         product_id             price  is_revoked  signed_at
            test         1               com.example.game  com.example.game.gold  9990   true        20
            test         2               com.example.game  com.example.game.gold  9990   true        20
            """)
    }

    @Test("A refund that is reversed gives back, whichever of the two comes first", arguments: [false, true])
    func reversed(_ isLate: Bool) async throws {
        let refund = try appStore.delivery(
            appStore.body("REFUND", transaction: appStore.transaction("1", signedAt: 40, MadeUpStore.refund)))
        let reversal = try appStore.delivery(
            appStore.body("REFUND_REVERSED", transaction: appStore.transaction("1", signedAt: 50)))
        try await store.record([appStore.delivery(appStore.body("SUBSCRIBED", transaction: appStore.transaction("1")))])
        try await store.record([isLate ? reversal : refund])
        let net = "SELECT net FROM attribution.store_transactions"
        #expect(try await database.value(net) == (isLate ? "9990" : "0"))
        try await store.record([isLate ? refund : reversal])
        #expect(try await database.value(net) == "9990")
    }

    @Test("Of two versions that were signed at once, the same one stays in both orders")
    func tie() async throws {
        let versions = [transaction(5, price: 1), transaction(5, price: 2)]
        for pair in [versions, versions.reversed()] {
            try await database.run("DELETE FROM attribution.store_transaction")
            for version in pair { try await offer([version]) }
            let alone = try await database.value("SELECT price FROM attribution.store_transaction")
            try await database.run("DELETE FROM attribution.store_transaction")
            try await offer(pair)
            let (first, second) = (versions[0].payloadSHA256 ?? [], versions[1].payloadSHA256 ?? [])
            let expected = first.lexicographicallyPrecedes(second) ? "2" : "1"
            #expect(alone == expected)
            #expect(try await database.value("SELECT price FROM attribution.store_transaction") == expected)
        }
    }

    @Test("What is signed stays when V1 comes after it, and replaces what V1 brought", arguments: [false, true])
    func bothVersions(_ isSignedFirst: Bool) async throws {
        let (plain, signed) = (transaction(nil, revokedAt: 30), transaction(0, price: 990))
        for version in isSignedFirst ? [signed, plain] : [plain, signed] { try await offer([version]) }
        try await database.expect(
            Self.rows,
            """
            transaction_id  price  is_revoked  signed_at
            1               990    false       0
            """)
    }

    @Test("The last V1 counts, but it takes no cancellation back")
    func plain() async throws {
        func record(_ type: String, _ receipts: [MadeUpStore.Members]) async throws {
            try await store.record([appStore.delivery(appStore.bodyV1(type, receipts))])
        }
        try await record("INITIAL_BUY", [appStore.receipt("1"), appStore.receipt("2")])
        try await record("DID_RENEW", [appStore.receipt("1", ["product_id": "com.example.game.silver"])])
        try await record("CANCEL", [appStore.receipt("2", cancelledAt: 30)])
        try await record("DID_RENEW", [appStore.receipt("2"), appStore.receipt("3")])
        try await database.expect(
            Self.rows,
            """
            environment  transaction_id  bundle_id         product_id               price  is_revoked  signed_at
            production   1               com.example.game  com.example.game.silver  -      false       -
            production   2               com.example.game  com.example.game.gold    -      true        -
            production   3               com.example.game  com.example.game.gold    -      false       -
            """)
    }

    @Test("The newest renewal info stays, with the status of its notification", arguments: [false, true])
    func renewals(_ isNewestFirst: Bool) async throws {
        let old = try appStore.delivery(
            appStore.body("SUBSCRIBED", renewal: appStore.renewal(signedAt: 0), status: 1))
        let new = try appStore.delivery(
            appStore.body(
                "DID_FAIL_TO_RENEW", renewal: appStore.renewal(signedAt: 10, ["isInBillingRetryPeriod": true]),
                status: 3))
        for delivery in isNewestFirst ? [new, old] : [old, new] { try await store.record([delivery]) }
        let rows = """
            SELECT environment, original_transaction_id, product_id, auto_renew_status, is_in_billing_retry,
                   renewal_price, currency, status, known_at
              FROM attribution.store_renewal JOIN attribution.store_product USING (product)
            """
        let expected = """
            environment  original_transaction_id  product_id             is_in_billing_retry  renewal_price  status  known_at
            test         1000                     com.example.game.gold  true                 9990           3       -
            """
        try await database.expect(rows, expected)
        try await database.run("DELETE FROM attribution.store_renewal; DELETE FROM attribution.store_notification")
        try await store.record(isNewestFirst ? [new, old] : [old, new])
        try await database.expect(rows, expected)
    }

    /// What the newer of two bodies of V1 states that the older one could not know.
    enum Later: CaseIterable, Sendable {
        case purchase
        case cancellation
        case changeOfRenewal
    }

    @Test(
        "A V1 that comes late replaces no newer renewal info, in two batches and in one",
        arguments: Later.allCases, [false, true])
    func lateRenewals(_ later: Later, _ isLate: Bool) async throws {
        func change(_ second: Int64) -> MadeUpStore.Members {
            ["auto_renew_status_change_date_ms": .string("\(MadeUpStore.milliseconds(second))")]
        }
        var receipts = [appStore.receipt("1")]
        let failed = try appStore.delivery(
            appStore.bodyV1(
                "DID_FAIL_TO_RENEW", receipts, renewals: [appStore.renewalV1(isInBillingRetry: true)],
                later == .changeOfRenewal ? change(20) : [:]))
        switch later {
        case .purchase: receipts.append(appStore.receipt("2", boughtAt: 30))
        case .cancellation: receipts.append(appStore.receipt("2", cancelledAt: 30))
        case .changeOfRenewal: break
        }
        let recovered = try appStore.delivery(
            appStore.bodyV1(
                "DID_RECOVER", receipts, renewals: [appStore.renewalV1(isInBillingRetry: false)],
                later == .changeOfRenewal ? change(30) : [:]))
        let deliveries = isLate ? [recovered, failed] : [failed, recovered]
        let rows = """
            SELECT is_in_billing_retry, risk,
                   extract(epoch FROM coalesce(renewal_changed_at, known_at))::bigint - \(MadeUpStore.start) AS latest
              FROM attribution.store_renewal
              JOIN attribution.store_renewals USING (environment, original_transaction_id, is_in_billing_retry)
            """
        let expected = """
            is_in_billing_retry  risk  latest
            false                -     30
            """
        for delivery in deliveries { try await store.record([delivery]) }
        try await database.expect(rows, expected)
        try await database.run("DELETE FROM attribution.store_renewal; DELETE FROM attribution.store_notification")
        try await store.record(deliveries)
        try await database.expect(rows, expected)
    }

    @Test("A V1 without the time of a change counts after one that has it, since few bodies state it")
    func changedRenewal() async throws {
        let change: MadeUpStore.Members = [
            "auto_renew_status_change_date_ms": .string("\(MadeUpStore.milliseconds(30))")
        ]
        let turnedOn = appStore.bodyV1(
            "DID_CHANGE_RENEWAL_STATUS", [appStore.receipt("1")],
            renewals: [appStore.renewalV1(isInBillingRetry: false)], change)
        let failed = appStore.bodyV1(
            "DID_FAIL_TO_RENEW", [appStore.receipt("1")], renewals: [appStore.renewalV1(isInBillingRetry: true)])
        let deliveries = try [turnedOn, failed].map { try appStore.delivery($0) }
        let retry = "SELECT is_in_billing_retry FROM attribution.store_renewal"
        for delivery in deliveries { try await store.record([delivery]) }
        #expect(try await database.value(retry) == "true")
        try await database.run("DELETE FROM attribution.store_renewal; DELETE FROM attribution.store_notification")
        try await store.record(deliveries)
        #expect(try await database.value(retry) == "true")
    }

    @Test("Of V1 that know of the same last time the last one counts; one that knows of none replaces only such a one")
    func equalRenewals() async throws {
        func delivery(_ isInBillingRetry: Bool, boughtAt second: Int64?) throws -> NotificationDelivery {
            try appStore.delivery(
                appStore.bodyV1(
                    "DID_FAIL_TO_RENEW", second.map { [appStore.receipt("1", boughtAt: $0)] } ?? [],
                    renewals: [appStore.renewalV1(isInBillingRetry: isInBillingRetry)]))
        }
        let retry = "SELECT is_in_billing_retry FROM attribution.store_renewal"
        for (stored, offered, isReplaced) in [
            (0, 0, true), (nil, nil, true), (nil, 0, true), (0, nil, false),
        ] as [(Int64?, Int64?, Bool)] {
            let deliveries = [
                try delivery(false, boughtAt: stored), try delivery(true, boughtAt: offered),
            ]
            let expected = "\(isReplaced)"
            for delivery in deliveries { try await store.record([delivery]) }
            let apart = try await database.value(retry)
            #expect(apart == expected, "\(String(describing: stored)), \(String(describing: offered))")
            try await database.run("DELETE FROM attribution.store_renewal; DELETE FROM attribution.store_notification")
            try await store.record(deliveries)
            let together = try await database.value(retry)
            #expect(together == expected, "\(String(describing: stored)), \(String(describing: offered))")
            try await database.run("DELETE FROM attribution.store_renewal; DELETE FROM attribution.store_notification")
        }
    }

    @Test("A known product takes no number")
    func products() async throws {
        for product in ["gold", "gold", "gold", "silver"] {
            let transaction = appStore.transaction("1", ["productId": .string(product)])
            try await store.record([appStore.delivery(appStore.body("SUBSCRIBED", transaction: transaction))])
        }
        try await database.expect(
            "SELECT product, product_id FROM attribution.store_product",
            """
            product  product_id
            1        gold
            2        silver
            """)
    }

    @Test("Two servers that store the same transactions at once do not wait for each other, and leave one row each")
    func overlapping() async throws {
        let ids = (0..<150).map { "\(1_000 + $0)" }
        let receipts = [ids.prefix(100), ids.suffix(100)].map { ids in ids.shuffled().map { appStore.receipt($0) } }
        for round in 0..<10 {
            // A transaction of its own for each, without another attempt after a deadlock.
            let batches = try receipts.enumerated().map { lane, receipts in
                NotificationBatch([try delivery(receipts, round: round, lane: lane)], lane: lane, accountKey: nil)
            }
            let outcomes = try await withThrowingTaskGroup(of: [NotificationOutcome].self) { group in
                for batch in batches {
                    group.addTask {
                        try await store.pool.withConnection { connection in
                            try connection.transaction("overlapping") { try batch.write(over: $0) }
                        }
                    }
                }
                return try await group.reduce(into: [NotificationOutcome]()) { $0 += $1 }
            }
            #expect(outcomes == [.accepted, .accepted])
        }
        #expect(try await database.value("SELECT count(*) FROM attribution.store_transaction") == "150")
        #expect(try await database.value("SELECT count(*) FROM attribution.store_notification") == "20")
    }

    /// A notification of V1 whose id is of a lane.
    private func delivery(
        _ receipts: [MadeUpStore.Members], round: Int, lane: Int
    ) throws -> NotificationDelivery {
        for version in 0..<1_000 {
            let delivery = try appStore.delivery(
                appStore.bodyV1("DID_RENEW", receipts, version: "\(round).\(version)"))
            if delivery.lane == lane { return delivery }
        }
        throw StoreLaneError.missing(lane: Int16(lane))
    }
}
