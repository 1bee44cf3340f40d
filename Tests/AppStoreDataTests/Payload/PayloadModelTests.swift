import AdAttribution
import TestSupport
import Testing

@testable import AppStoreData

/// Payloads with every documented member are read with all values that a revenue server needs.
@Suite("Payloads of the App Store")
struct PayloadModelTests {
    @Test("A transaction has all values of its payload")
    func transaction() throws {
        let verified = try SignedModel(.transaction).verified()
        let read = try StoreTransaction(verified)
        var expected = StoreTransaction(
            environment: .test, transactionID: "700100200300413", originalTransactionID: "700100200300400",
            bundleID: "org.example.orchard", productID: "org.example.orchard.yearly", purchasedAt: 1_691_000_012_345)
        expected.webOrderLineItemID = "700500600700"
        expected.subscriptionGroup = "21500777"
        expected.originallyPurchasedAt = 1_659_460_000_111
        expected.expiresAt = 1_722_600_012_345
        expected.type = "Auto-Renewable Subscription"
        expected.accountToken = "c0a3b1d2-94e5-4f67-8a9b-2d41e6f07c58"
        expected.ownership = "PURCHASED"
        expected.signedAt = 1_695_555_100_888
        expected.payloadSHA256 = SHA256.digest(verified.json)
        expected.revokedAt = 1_695_555_000_777
        expected.revocationReason = 1
        expected.isUpgraded = true
        expected.offerType = 3
        expected.offerID = "harvest-23"
        expected.offerDiscountType = "PAY_UP_FRONT"
        expected.storefront = "SWE"
        expected.reason = "RENEWAL"
        expected.currency = "SEK"
        expected.price = 129_500
        #expect(read == expected)
        #expect(read.quantity == 1)
        #expect([read.gross, read.refunded, read.net] == [129_500, 129_500, 0])
    }

    @Test("A transaction with a prorated refund keeps the rest of its price")
    func revocation() throws {
        let read = try StoreTransaction(SignedModel(.revokedTransaction).verified())
        #expect(read.revocationType == "REFUND_PRORATED")
        #expect(read.revocationPercentage == 33_333)
        #expect([read.gross, read.refunded, read.net] == [129_500, 43_166, 86_334])
    }

    @Test("Renewal info has all values of its payload")
    func renewal() throws {
        let verified = try SignedModel(.renewalInfo).verified()
        var expected = StoreRenewal(
            environment: .test, originalTransactionID: "700100200300400", productID: "org.example.orchard.yearly")
        expected.autoRenewProductID = "org.example.orchard.monthly"
        expected.autoRenewStatus = 1
        expected.expirationIntent = 2
        expected.isInBillingRetry = true
        expected.gracePeriodExpiresAt = 1_696_300_000_222
        expected.renewsAt = 1_722_600_012_678
        expected.renewalPrice = 14_900
        expected.currency = "NOK"
        expected.priceIncreaseStatus = 0
        expected.offerID = "stay-a-while"
        expected.recentSubscriptionStartAt = 1_659_460_000_444
        expected.signedAt = 1_695_555_100_999
        expected.payloadSHA256 = SHA256.digest(verified.json)
        #expect(try StoreRenewal(verified) == expected)
    }

    @Test("An app transaction has version, dates and platform, and no id of a customer")
    func appTransaction() throws {
        let read = try AppTransaction(SignedModel(.appTransaction).verified())
        #expect(read.environment == .test)
        #expect(read.bundleID == "org.example.orchard")
        #expect(read.appID == 6_409_876_543)
        #expect(read.applicationVersion == "40.7")
        #expect(read.originalApplicationVersion == "12.0")
        #expect(read.originallyPurchasedAt == 1_650_000_000_666)
        #expect(read.preorderedAt == 1_649_000_000_444)
        #expect(read.originalPlatform == "tvOS")
        #expect(read.signedAt == 1_694_000_000_555)
        #expect(!"\(read)".contains("704400550066007700"))
    }

    @Test("A notification brings its transaction and its renewal")
    func gracePeriod() throws {
        let read = try SignedModel(.notification).notification()
        #expect(read.version == .v2)
        #expect(try read.id == [UInt8](hex: "5f0c1d923b7e4a649c218e40d7b6a35f"))
        #expect([read.type, read.subtype] == ["DID_FAIL_TO_RENEW", "GRACE_PERIOD"])
        #expect(read.environment == .test)
        #expect(read.bundleID == "org.example.orchard")
        #expect(read.appID == 6_401_234_567)
        #expect(read.originalTransactionID == "700100200300400")
        #expect(read.signedAt == 1_695_555_101_007)
        #expect(read.status == 4)
        let transaction = try StoreTransaction(SignedModel(.transaction).verified())
        let renewal = try StoreRenewal(SignedModel(.renewalInfo).verified())
        #expect(read.transactions == [transaction])
        #expect(read.renewals == [renewal])
        #expect(read.appTransaction == nil)
    }

    @Test("No documented member is unknown", arguments: StorePayload.notifications)
    func known(_ payload: StorePayload) throws {
        #expect(try SignedModel(payload).notification().unknownMembers == [])
    }

    @Test("A request of consumption data brings its transaction too")
    func consumption() throws {
        let read = try SignedModel(.consumptionRequest).notification()
        #expect(read.type == "CONSUMPTION_REQUEST")
        #expect(read.subtype == nil)
        #expect(read.transactions.count == 1)
    }

    @Test("A summary has an app and no transaction")
    func summary() throws {
        let read = try SignedModel(.summary).notification()
        #expect([read.type, read.subtype] == ["RENEWAL_EXTENSION", "SUMMARY"])
        #expect(read.bundleID == "org.example.orchard")
        #expect(read.appID == 6_401_234_567)
        #expect(read.transactions.isEmpty && read.renewals.isEmpty)
        #expect(read.originalTransactionID == nil)
    }

    @Test("A token of external purchases is of production, unless its id begins with SANDBOX")
    func token() throws {
        let production = try SignedModel(.token)
        let sandbox = try SignedModel(.sandboxToken)
        let other = try SignedModel.verifier(appID: 1)
        #expect(try production.refusal(other)?.field == "appAppleId")
        #expect(try sandbox.refusal(other) == nil)
        let read = try production.notification(SignedModel.verifier(appID: 6_405_551_212))
        #expect([read.type, read.subtype] == ["EXTERNAL_PURCHASE_TOKEN", "UNREPORTED"])
        #expect(read.appID == 6_405_551_212)
    }

    @Test("A notification about an app brings its app transaction")
    func consent() throws {
        var model = try SignedModel(.rescindConsent)
        let read = try model.notification()
        #expect(read.type == "RESCIND_CONSENT")
        let appTransaction = try AppTransaction(SignedModel(.appTransaction).verified())
        #expect(read.appTransaction == appTransaction)
        model[part: "environment"] = "Sandbox"
        model[part: "appAppleId"] = 6_407_770_001
        let refusal = try model.refusal()
        #expect(refusal?.reason == .wrongEnvironment)
        #expect(refusal?.field == "signedAppTransactionInfo.receiptType")
        model[inside: "signedAppTransactionInfo", "receiptType"] = "Sandbox"
        #expect(try model.notification().appID == 6_407_770_001)
    }

    @Test("A test notification has nothing signed inside")
    func setUp() throws {
        var model = try SignedModel(.notification)
        model.members["notificationType"] = "TEST"
        model.members["subtype"] = nil
        model.members["data"] = ["environment": "Sandbox", "bundleId": "org.example.orchard", "bundleVersion": "1"]
        let read = try model.notification()
        #expect(read.type == "TEST")
        #expect(read.appID == nil)
        #expect(read.transactions.isEmpty)
    }

    @Test("Unknown types, subtypes and members are kept by name, and nothing is refused")
    func unknown() throws {
        var model = try SignedModel(.notification)
        model.members["notificationType"] = "SOMETHING_NEW"
        model.members["subtype"] = "OF_ANOTHER_KIND"
        model.members["more"] = ["a": [1, 2]]
        model[part: "seats"] = 5
        model[inside: "signedTransactionInfo", "seatInfo"] = ["tier": 1]
        model[inside: "signedTransactionInfo", "type"] = "Subscription of Tomorrow"
        model[inside: "signedRenewalInfo", "\u{202E}\n"] = true
        let read = try model.notification()
        #expect([read.type, read.subtype] == ["SOMETHING_NEW", "OF_ANOTHER_KIND"])
        #expect(read.transactions.first?.type == "Subscription of Tomorrow")
        #expect(
            read.unknownMembers == ["more", "seats", #"signedRenewalInfo.\u202e\n"#, "signedTransactionInfo.seatInfo"])
    }

    @Test(
        "What a test root signs is a test; else the environment is the one that Apple states",
        arguments: zip(
            StoreEnvironment.allCases, [AttributionEnvironment.production, .development, .test, .test]))
    func environment(_ stated: StoreEnvironment, _ ours: AttributionEnvironment) {
        #expect(StoreEnvironmentRule.environment(stated, isOfTestRoot: false) == ours)
        #expect(StoreEnvironmentRule.environment(stated, isOfTestRoot: true) == .test)
    }
}
