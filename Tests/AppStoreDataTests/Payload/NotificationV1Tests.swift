import AdAttribution
import Foundation
import Testing

@testable import AppStoreData

/// Notifications V1: plain JSON with a secret, up to a hundred transactions, and no price.
@Suite("Notifications V1")
struct NotificationV1Tests {
    private static let start: Int64 = 1_612_345_678_000

    private static func transaction(_ number: Int) -> [String: Any] {
        [
            "quantity": "1", "product_id": "org.example.orchard.monthly", "transaction_id": "\(1_000 + number)",
            "original_transaction_id": "1000", "web_order_line_item_id": "\(5_000 + number)",
            "purchase_date": "2021-02-03 09:47:58 Etc/GMT",
            "purchase_date_ms": "\(start + Int64(number) * 2_592_000_000)",
            "purchase_date_pst": "2021-02-03 01:47:58 America/Los_Angeles", "original_purchase_date_ms": "\(start)",
            "expires_date_ms": "\(start + Int64(number + 1) * 2_592_000_000)", "is_trial_period": "false",
            "is_in_intro_offer_period": "false", "in_app_ownership_type": "PURCHASED",
            "subscription_group_identifier": "21500777",
        ]
    }

    private static func notification(_ transactions: [[String: Any]]) -> [String: Any] {
        [
            "notification_type": "DID_RENEW", "password": SignedModel.secret, "environment": "PROD",
            "bid": SignedModel.bundleID, "bvrs": "7", "auto_renew_product_id": "org.example.orchard.monthly",
            "auto_renew_status": "true",
            "unified_receipt": [
                "status": 0, "environment": "Production", "latest_receipt": "YSBtYWRlLXVwIHJlY2VpcHQ=",
                "latest_receipt_info": transactions,
                "pending_renewal_info": [
                    [
                        "auto_renew_status": "1", "auto_renew_product_id": "org.example.orchard.yearly",
                        "product_id": "org.example.orchard.monthly", "original_transaction_id": "1000",
                        "is_in_billing_retry_period": "1", "expiration_intent": "2",
                        "grace_period_expires_date_ms": "\(start)", "price_consent_status": "0",
                        "promotional_offer_id": "",
                    ]
                ],
            ] as [String: Any],
        ]
    }

    private func read(_ object: [String: Any]) throws -> StoreNotification {
        try StoreNotification(body: SignedModel.json(object), by: SignedModel.verifier(), now: SignedModel.now)
    }

    private func refusal(_ object: [String: Any]) throws -> SignedDataError? {
        try SignedModel.refusal(of: SignedModel.json(object))
    }

    @Test("A notification with one transaction is read with all values")
    func one() throws {
        var first = Self.transaction(0)
        first["app_account_token"] = "c0a3b1d2-94e5-4f67-8a9b-2d41e6f07c58"
        first["promotional_offer_id"] = "autumn"
        let read = try read(Self.notification([first]))
        #expect(read.version == .v1)
        #expect(read.id.count == 16)
        #expect([read.type, read.subtype] == ["DID_RENEW", nil])
        #expect(read.environment == .production)
        #expect(read.bundleID == SignedModel.bundleID)
        #expect(read.originalTransactionID == "1000")
        #expect([read.signedAt, read.status, read.appID] == [nil, nil, nil])
        #expect(read.unknownMembers == [])
        var expected = StoreTransaction(
            environment: .production, transactionID: "1000", originalTransactionID: "1000",
            bundleID: SignedModel.bundleID, productID: "org.example.orchard.monthly", purchasedAt: Self.start)
        expected.webOrderLineItemID = "5000"
        expected.subscriptionGroup = "21500777"
        expected.originallyPurchasedAt = Self.start
        expected.expiresAt = Self.start + 2_592_000_000
        expected.accountToken = "c0a3b1d2-94e5-4f67-8a9b-2d41e6f07c58"
        expected.ownership = "PURCHASED"
        expected.offerID = "autumn"
        expected.isTrial = false
        #expect(read.transactions == [expected])
        #expect(read.transactions.first?.gross == nil)
        var renewal = StoreRenewal(
            environment: .production, originalTransactionID: "1000", productID: "org.example.orchard.monthly")
        renewal.bundleID = SignedModel.bundleID
        renewal.autoRenewProductID = "org.example.orchard.yearly"
        renewal.autoRenewStatus = 1
        renewal.expirationIntent = 2
        renewal.isInBillingRetry = true
        renewal.gracePeriodExpiresAt = Self.start
        renewal.priceIncreaseStatus = 0
        #expect(read.renewals == [renewal])
    }

    @Test("All hundred transactions are read, cancelled ones, trials and family shares among them")
    func hundred() throws {
        var transactions = (0..<100).map(Self.transaction)
        transactions[0]["is_trial_period"] = "true"
        transactions[1]["cancellation_date_ms"] = "1620000000000"
        transactions[1]["cancellation_reason"] = "1"
        transactions[2]["in_app_ownership_type"] = "FAMILY_SHARED"
        transactions[3]["is_upgraded"] = "true"
        let read = try read(Self.notification(transactions)).transactions
        #expect(read.map(\.transactionID) == (0..<100).map { "\(1_000 + $0)" })
        #expect(read[0].isTrial == true)
        #expect(read[0].gross == 0)
        #expect([read[1].revokedAt, read[1].revocationReason] == [1_620_000_000_000, 1])
        #expect([read[1].gross, read[1].refunded] == [nil, nil])
        #expect(read[2].gross == 0)
        #expect(read.filter(\.isUpgraded).map(\.transactionID) == ["1003"])
    }

    @Test("A notification without transactions is taken, for consumables that were refunded have none")
    func none() throws {
        var object = Self.notification([])
        object["notification_type"] = "REFUND"
        object["original_transaction_id"] = 700_100_200_300_400
        object["unified_receipt"] = nil
        let read = try read(object)
        #expect(read.transactions.isEmpty)
        #expect(read.originalTransactionID == "700100200300400")
    }

    static let refunds: [(String, String?, [String], Bool)] = [
        ("REFUND", "1000", [], true), ("CANCEL", "1000", [], true), ("CANCEL", nil, [], true),
        ("CANCEL", "1000", ["1000"], false), ("REFUND", nil, ["1000"], false), ("REFUND", nil, ["2000"], false),
        ("REFUND", "1000", ["2000"], true), ("REFUND", "2000", ["2000"], false), ("DID_RENEW", "1000", [], false),
        ("SOMETHING_NEW", nil, [], false),
    ]

    @Test("A refund is known to count nothing if its transaction is not listed as cancelled", arguments: refunds)
    func unlistedRefund(_ type: String, _ original: String?, _ revoked: [String], _ lacksRefund: Bool) throws {
        var listed = [Self.transaction(0), Self.transaction(1)]
        listed[1]["original_transaction_id"] = "2000"
        for (number, original) in ["1000", "2000"].enumerated() where revoked.contains(original) {
            listed[number]["cancellation_date_ms"] = "1620000000000"
        }
        var object = Self.notification(listed)
        object["notification_type"] = type
        object["original_transaction_id"] = original
        #expect(try read(object).lacksRefund == lacksRefund)
        #expect(try read(object).transactions.count == 2)
        object["unified_receipt"] = nil
        #expect(try read(object).lacksRefund == ["REFUND", "CANCEL"].contains(type))
    }

    private func lastTimes(_ notification: StoreNotification) -> [Int64?] {
        [notification.lastTransactionAt, notification.renewalChangedAt]
    }

    @Test("A body states the last purchase or cancellation, and perhaps a change of the renewal")
    func times() throws {
        var transactions = [Self.transaction(2), Self.transaction(0)]
        var object = Self.notification(transactions)
        let purchase = Self.start + 2 * 2_592_000_000
        #expect(try lastTimes(read(object)) == [purchase, nil])
        transactions[1]["cancellation_date_ms"] = "\(purchase + 1)"
        object = Self.notification(transactions)
        #expect(try lastTimes(read(object)) == [purchase + 1, nil])
        object["auto_renew_status_change_date_ms"] = "\(purchase + 2)"
        #expect(try lastTimes(read(object)) == [purchase + 1, purchase + 2])
        // No reason to refuse it.
        object["auto_renew_status_change_date_ms"] = "yesterday"
        #expect(try lastTimes(read(object)) == [purchase + 1, nil])
        #expect(try lastTimes(read(Self.notification([]))) == [nil, nil])
    }

    @Test("The id depends on the body, but not on the secret")
    func id() throws {
        let object = Self.notification([Self.transaction(0)])
        let body = try SignedModel.json(object)
        let kept = StoreNotification.withoutSecret(body)
        #expect(try read(object).id == Array(SHA256.digest(kept).prefix(16)))
        #expect(!String(decoding: kept, as: UTF8.self).contains(SignedModel.secret))
        #expect(try read(object).id != read(Self.notification([Self.transaction(1)])).id)
    }

    @Test("The secret must be that of the app, and no refusal shows it")
    func secret() throws {
        var object = Self.notification([Self.transaction(0)])
        object["password"] = nil
        #expect(try refusal(object)?.reason == .wrongSecret)
        object["password"] = ""
        #expect(try refusal(object)?.reason == .wrongSecret)
        object["password"] = SignedModel.secret + "0"
        let wrong = SignedDataError(.wrongSecret, field: "password", rule: "must be the shared secret of the app")
        #expect(try refusal(object) == wrong)
        object["password"] = [SignedModel.secret]
        #expect(try refusal(object)?.description == "password: must be a string")
        object["password"] = SignedModel.secret
        object["bid"] = "org.example.free"
        #expect(try refusal(object)?.reason == .wrongSecret)
        object["environment"] = 7
        #expect(try refusal(object)?.reason == .wrongSecret)
    }

    @Test("The app must be one of the key ring")
    func app() throws {
        var object = Self.notification([])
        object["bid"] = "com.other"
        #expect(try refusal(object)?.description == #"bid: must be an app of the key ring, not "com.other""#)
        object["bid"] = nil
        #expect(try refusal(object)?.reason == .unknownApp)
    }

    @Test("A price is refused, since V1 has none", arguments: ["price", "currency"])
    func price(_ name: String) throws {
        var transaction = Self.transaction(1)
        transaction[name] = NSNull()
        let refusal = try refusal(Self.notification([Self.transaction(0), transaction]))
        #expect(refusal?.reason == .malformed)
        #expect(refusal?.field == "unified_receipt.latest_receipt_info[1].\(name)")
    }

    static let environments: [(String, String, AttributionEnvironment?)] = [
        ("PROD", "Production", .production), ("Production", "Production", .production),
        ("Sandbox", "Sandbox", .development), ("PROD", "Sandbox", nil), ("prod", "Production", nil),
    ]

    @Test("The environment is PROD, Production or Sandbox, and the receipt's own is the same", arguments: environments)
    func environment(_ outer: String, _ inner: String, _ expected: AttributionEnvironment?) throws {
        var object = Self.notification([])
        object["environment"] = outer
        object["unified_receipt"] = ["environment": inner]
        guard let expected else {
            #expect(try refusal(object)?.reason == .wrongEnvironment)
            return
        }
        #expect(try read(object).environment == expected)
    }

    @Test(
        "A wrong value in a list is refused by its place",
        arguments: [
            ("transaction_id", ""), ("purchase_date_ms", ""), ("purchase_date_ms", "+5"), ("quantity", "0"),
            ("purchase_date_ms", "253402300800000"), ("is_trial_period", "maybe"), ("cancellation_reason", "40000"),
        ])
    func element(_ name: String, _ value: String) throws {
        var transaction = Self.transaction(0)
        transaction[name] = value
        let refusal = try refusal(Self.notification([transaction]))
        #expect(refusal?.reason == .malformed)
        #expect(refusal?.field == "unified_receipt.latest_receipt_info[0].\(name)")
    }

    @Test("The name of an offer may have marks of direction, but no control characters; an id may have neither")
    func direction() throws {
        for name in ["promotional_offer_id", "offer_code_ref_name"] {
            var transaction = Self.transaction(0)
            transaction[name] = "\u{200F}autumn\u{200E}"
            #expect(try read(Self.notification([transaction])).transactions.first?.offerID == "\u{200F}autumn\u{200E}")
            for control in ["\u{1F}", "\u{7F}", "\u{9F}"] {
                transaction[name] = "autumn" + control
                let refusal = try refusal(Self.notification([transaction]))
                #expect(refusal?.field == "unified_receipt.latest_receipt_info[0].\(name)")
            }
        }
        var transaction = Self.transaction(0)
        transaction["product_id"] = "autumn\u{200E}"
        #expect(
            try refusal(Self.notification([transaction]))?.field == "unified_receipt.latest_receipt_info[0].product_id")
    }

    @Test("Unknown types and members are kept by name, once for all transactions")
    func unknown() throws {
        var object = Self.notification(
            (0..<2).map { Self.transaction($0).merging(["new_member": "1"], uniquingKeysWith: { $1 }) })
        object["notification_type"] = "SOMETHING_NEW"
        object["other"] = 1
        let read = try read(object)
        #expect(read.type == "SOMETHING_NEW")
        #expect(read.unknownMembers == ["other", "unified_receipt.latest_receipt_info.new_member"])
    }
}
