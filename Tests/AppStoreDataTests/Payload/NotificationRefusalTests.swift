import Testing

@testable import AppStoreData

/// What a signed notification must not have, refused by the name of the member.
@Suite("Refused notifications")
struct NotificationRefusalTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: SignedDataError.Reason
        let change: @Sendable (inout SignedModel) throws -> Void

        init(
            _ field: String, _ reason: SignedDataError.Reason = .malformed,
            _ change: @escaping @Sendable (inout SignedModel) throws -> Void
        ) {
            testDescription = field
            self.reason = reason
            self.change = change
        }
    }

    static let changes: [Change] = [
        Change("bundleId", .unknownApp) { $0[part: "bundleId"] = "org.example.other" },
        Change("bundleId", .unknownApp) { $0[part: "bundleId"] = nil },
        Change("bundleId", .unknownApp) { $0.members["data"] = nil },
        Change("bundleId") { $0[part: "bundleId"] = String(repeating: "b", count: 256) },
        Change("appAppleId", .unknownApp) { $0[part: "environment"] = "Production" },
        Change("appAppleId") { $0[part: "appAppleId"] = "6401234567" },
        Change("environment", .wrongEnvironment) { $0[part: "environment"] = "Staging" },
        Change("environment") { $0[part: "environment"] = nil },
        Change("data") { $0.members["data"] = [1] },
        Change("notificationUUID") { $0.members["notificationUUID"] = "5f0c1d92-3b7e-4a64-9c21-8e40d7b6a35" },
        Change("notificationUUID") { $0.members["notificationUUID"] = "5f0c1d923b7e4a649c218e40d7b6a35f----" },
        Change("notificationUUID") { $0.members["notificationUUID"] = nil },
        Change("notificationType") { $0.members["notificationType"] = String(repeating: "T", count: 65) },
        Change("notificationType") { $0.members["notificationType"] = "" },
        Change("subtype") { $0.members["subtype"] = "A\u{7}" },
        Change("status") { $0[part: "status"] = -1 },
        Change("signedTransactionInfo") { $0[part: "signedTransactionInfo"] = 7 },
        Change("signedTransactionInfo.bundleId", .unknownApp) {
            $0[inside: "signedTransactionInfo", "bundleId"] = "org.example.free"
        },
        Change("signedTransactionInfo.environment", .wrongEnvironment) {
            $0[inside: "signedTransactionInfo", "environment"] = "Sandbox"
        },
        Change("signedTransactionInfo.environment") { $0[inside: "signedTransactionInfo", "environment"] = nil },
        Change("signedRenewalInfo.environment", .wrongEnvironment) {
            $0[inside: "signedRenewalInfo", "environment"] = "Production"
        },
        Change("signedRenewalInfo.bundleId", .unknownApp) { $0[inside: "signedRenewalInfo", "bundleId"] = "com.other" },
        Change("signedTransactionInfo.transactionId") { $0[inside: "signedTransactionInfo", "transactionId"] = nil },
        Change("signedTransactionInfo.transactionId") { $0[inside: "signedTransactionInfo", "transactionId"] = 70010 },
        Change("signedTransactionInfo.productId") {
            $0[inside: "signedTransactionInfo", "productId"] = String(repeating: "p", count: 256)
        },
        Change("signedTransactionInfo.offerIdentifier") {
            $0[inside: "signedTransactionInfo", "offerIdentifier"] = String(repeating: "é", count: 256)
        },
        Change("signedTransactionInfo.offerIdentifier") {
            $0[inside: "signedTransactionInfo", "offerIdentifier"] = "autumn\u{85}"
        },
        Change("signedTransactionInfo.productId") {
            $0[inside: "signedTransactionInfo", "productId"] = "autumn\u{200E}"
        },
        Change("signedTransactionInfo.price") { $0[inside: "signedTransactionInfo", "price"] = 9_000_000_000_001 },
        Change("signedTransactionInfo.price") { $0[inside: "signedTransactionInfo", "price"] = -1 },
        Change("signedTransactionInfo.price") { $0[inside: "signedTransactionInfo", "price"] = 10.5 },
        Change("signedTransactionInfo.quantity") { $0[inside: "signedTransactionInfo", "quantity"] = 0 },
        Change("signedTransactionInfo.quantity") { $0[inside: "signedTransactionInfo", "quantity"] = 1_000_001 },
        Change("signedTransactionInfo.revocationPercentage") {
            $0[inside: "signedTransactionInfo", "revocationPercentage"] = 100_001
        },
        Change("signedTransactionInfo.purchaseDate") {
            $0[inside: "signedTransactionInfo", "purchaseDate"] = 253_402_300_800_000
        },
        Change("signedTransactionInfo.isUpgraded") { $0[inside: "signedTransactionInfo", "isUpgraded"] = "true" },
        Change("signedRenewalInfo.expirationIntent") { $0[inside: "signedRenewalInfo", "expirationIntent"] = 32_768 },
        Change("signedTransactionInfo.x5c", .untrustedChain) { $0.insideSigner = try SignedModel.stranger() },
    ]

    @Test("A change of one member is refused by its name", arguments: changes)
    func change(_ change: Change) throws {
        var model = try SignedModel(.notification)
        let verifier = try SignedModel.verifier(appID: 1)
        #expect(try model.refusal(verifier) == nil)
        try change.change(&model)
        let refusal = try #require(try model.refusal(verifier))
        #expect(refusal.reason == change.reason)
        #expect(refusal.field == change.testDescription)
        #expect(!refusal.rule.isEmpty)
    }

    @Test("A text of as many characters as are allowed is taken, and so are the greatest numbers")
    func limits() throws {
        var model = try SignedModel(.notification)
        model.members["notificationType"] = String(repeating: "T", count: 64)
        model[inside: "signedTransactionInfo", "offerIdentifier"] = String(repeating: "é", count: 255)
        model[inside: "signedTransactionInfo", "productId"] = String(repeating: "p", count: 255)
        model[inside: "signedTransactionInfo", "price"] = 9_000_000_000_000
        model[inside: "signedTransactionInfo", "quantity"] = 1_000_000
        model[inside: "signedTransactionInfo", "revocationPercentage"] = 99_999
        model[inside: "signedTransactionInfo", "expiresDate"] = 253_402_300_799_999
        let transaction = try #require(try model.notification().transactions.first)
        #expect(transaction.quantity == 1_000_000)
        #expect(transaction.gross == 9_000_000_000_000)
        #expect(transaction.refunded == 8_999_910_000_000)
    }

    @Test("Unknown members may have as many levels as a verified payload, and the name of an offer marks of direction")
    func genuine() throws {
        // One level is the object of the payload.
        var deep: [String: Any] = ["level": 16]
        for level in (2..<16).reversed() { deep = ["level": level, "deeper": deep] }
        var model = try SignedModel(.notification)
        model.members["more"] = deep
        model[inside: "signedTransactionInfo", "more"] = deep
        for kind in ["signedTransactionInfo", "signedRenewalInfo"] {
            model[inside: kind, "offerIdentifier"] = "\u{200F}autumn\u{200E}"
        }
        let read = try model.notification()
        #expect(read.unknownMembers == ["more", "signedTransactionInfo.more"])
        #expect(read.transactions.first?.offerID == "\u{200F}autumn\u{200E}")
        #expect(read.renewals.first?.offerID == "\u{200F}autumn\u{200E}")
    }

    @Test("A transaction without a bundle id is of the app of its notification; alone it is refused")
    func bundleID() throws {
        var model = try SignedModel(.notification)
        model[inside: "signedTransactionInfo", "bundleId"] = nil
        #expect(try model.notification().transactions.map(\.bundleID) == [SignedModel.bundleID])
        var alone = try SignedModel(.transaction)
        alone.members["bundleId"] = nil
        let verified = try alone.verified()
        #expect(throws: SignedDataError(.malformed, field: "bundleId", rule: "is missing")) {
            try StoreTransaction(verified)
        }
    }

    @Test("A refusal does not show the app's id of a customer")
    func accountToken() throws {
        var model = try SignedModel(.notification)
        model[inside: "signedTransactionInfo", "appAccountToken"] = String(repeating: "somebody", count: 9)
        let refusal = try #require(try model.refusal())
        #expect(refusal.field == "signedTransactionInfo.appAccountToken")
        #expect(!refusal.rule.contains("somebody"))
    }

    @Test("Bodies that are neither version, too large, or no strict JSON are refused")
    func bodies() throws {
        func refusal(_ body: String) throws -> SignedDataError? { try SignedModel.refusal(of: Array(body.utf8)) }
        #expect(try refusal("{}")?.description == "signedPayload: is missing, and so is notification_type")
        #expect(try refusal("[]")?.field == "json")
        #expect(try refusal(#"{"signedPayload":null}"#)?.description == "signedPayload: is missing")
        #expect(try refusal(#"{"signedPayload":"a","signedPayload":"a"}"#)?.rule.contains("stands twice") == true)
        let (opening, closing) = (String(repeating: "[", count: 16), String(repeating: "]", count: 16))
        #expect(try refusal("{\"a\":\(opening)1\(closing)}")?.rule.contains("nested too deeply") == true)
        #expect(try refusal(#"{"signedPayload":7}"#)?.description == "signedPayload: must be a string")
        let blanks = String(repeating: " ", count: StoreNotification.maximumV2Bytes)
        #expect(try refusal(#"{"signedPayload":"a"}"# + blanks)?.reason == .tooLarge)
        #expect(try refusal(String(repeating: blanks, count: 16) + " ")?.reason == .tooLarge)
    }
}
