import AdAttribution
import Foundation
import PostbackStore
import PostgresClient
import StrictJSON

@testable import AppStoreData
@testable import AppStoreEvents

/// Notifications of a made-up app, signed under a root of tests or with the app's secret.
struct MadeUpStore: Sendable {
    typealias Members = [String: JSONDocument]

    static let bundleID = "com.example.game"
    static let secret = "secret-of-the-app"
    /// The second 0 of the tests, in seconds since 1970.
    static let start: Int64 = 1_790_000_000
    /// A day later, in milliseconds: the time at which all is verified.
    static let now = (start + 86_400) * 1_000

    let signer: StoreSigner
    let verifier: SignedDataVerifier

    init(accountKey: HMACKey? = nil) throws {
        signer = try StoreSigner.make(validFrom: Self.start - 86_400 * 365, validTo: Self.start + 86_400 * 365)
        verifier = Self.verifier(of: signer, apps: [Self.bundleID], accountKey: accountKey)
    }

    /// A verifier that trusts a signer, and knows these apps.
    static func verifier(of signer: StoreSigner, apps: [String], accountKey: HMACKey? = nil) -> SignedDataVerifier {
        SignedDataVerifier(
            trust: StoreTrust(
                apps: apps.map { StoreApp(bundleID: $0, appID: nil) },
                sharedSecrets: apps.map { SharedSecret(bundleID: $0, secret: Array(secret.utf8)) },
                testRoots: [signer.root], accountKey: accountKey))
    }

    /// A verifier that takes the root of these tests for Apple's, and knows these apps.
    func appleVerifier(apps: [String]) -> SignedDataVerifier {
        SignedDataVerifier(
            trust: StoreTrust(
                apps: apps.map { StoreApp(bundleID: $0, appID: nil) },
                sharedSecrets: apps.map { SharedSecret(bundleID: $0, secret: Array(Self.secret.utf8)) },
                testRoots: [], accountKey: nil),
            appleRoots: [signer.root])
    }

    static func milliseconds(_ second: Int64) -> Int64 { (start + second) * 1_000 }

    static func time(_ second: Int64) -> PostgresTimestamp {
        PostgresTimestamp(millisecondsSince1970: milliseconds(second))
    }

    /// A random id of a notification of a lane.
    static func id(lane: Int = 0) -> String { "0\(lane)\(UUID().uuidString.lowercased().dropFirst(2))" }

    /// The payload of a transaction that is signed at a second.
    func transaction(_ id: String, signedAt second: Int64 = 0, _ changes: Members = [:]) -> Members {
        let members: Members = [
            "transactionId": .string(id), "originalTransactionId": "1000", "bundleId": .string(Self.bundleID),
            "productId": "com.example.game.gold", "purchaseDate": .integer(Self.milliseconds(-60)), "quantity": 1,
            "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED", "environment": "Sandbox",
            "signedDate": .integer(Self.milliseconds(second)), "storefront": "DEU", "transactionReason": "PURCHASE",
            "currency": "EUR", "price": 9_990,
        ]
        return members.merging(changes) { $1 }
    }

    /// What a refund changes in a transaction.
    static let refund: Members = [
        "revocationDate": .integer(milliseconds(30)), "revocationReason": 1, "revocationType": "REFUND_FULL",
    ]

    /// The payload of renewal info that is signed at a second.
    func renewal(signedAt second: Int64, _ changes: Members = [:]) -> Members {
        let members: Members = [
            "originalTransactionId": "1000", "productId": "com.example.game.gold",
            "autoRenewProductId": "com.example.game.gold", "autoRenewStatus": 1, "environment": "Sandbox",
            "signedDate": .integer(Self.milliseconds(second)), "currency": "EUR", "renewalPrice": 9_990,
        ]
        return members.merging(changes) { $1 }
    }

    /// The body of a notification V2 that is signed at a second.
    func body(
        _ type: String, id: String = MadeUpStore.id(), at second: Int64 = 0, transaction: Members? = nil,
        renewal: Members? = nil, status: Int64? = nil, bundleID: String = MadeUpStore.bundleID
    ) throws -> [UInt8] {
        var data: Members = ["bundleId": .string(bundleID), "environment": "Sandbox"]
        if let transaction { data["signedTransactionInfo"] = try signed(transaction) }
        if let renewal { data["signedRenewalInfo"] = try signed(renewal) }
        if let status { data["status"] = .integer(status) }
        let payload: Members = [
            "notificationType": .string(type), "notificationUUID": .string(id), "version": "2.0",
            "signedDate": .integer(Self.milliseconds(second)), "data": Self.object(data),
        ]
        return Self.object(["signedPayload": try signed(payload)]).text()
    }

    /// The body of a notification V1 with a receipt.
    func bodyV1(
        _ type: String, _ transactions: [Members], renewals: [Members] = [], version: String = "1",
        _ changes: Members = [:]
    ) -> [UInt8] {
        var receipt: Members = [
            "environment": "Production", "latest_receipt_info": .array(transactions.map(Self.object)),
        ]
        if !renewals.isEmpty { receipt["pending_renewal_info"] = .array(renewals.map(Self.object)) }
        let members: Members = [
            "notification_type": .string(type), "bid": .string(Self.bundleID), "bvrs": .string(version),
            "password": .string(Self.secret), "environment": "PROD", "unified_receipt": Self.object(receipt),
        ]
        return Self.object(members.merging(changes) { $1 }).text()
    }

    /// An element of the renewals of V1.
    func renewalV1(isInBillingRetry: Bool) -> Members {
        [
            "original_transaction_id": "1000", "product_id": "com.example.game.gold", "auto_renew_status": "1",
            "is_in_billing_retry_period": isInBillingRetry ? "1" : "0",
        ]
    }

    /// An element of a receipt of V1.
    func receipt(
        _ id: String, boughtAt purchase: Int64 = -60, cancelledAt second: Int64? = nil, _ changes: Members = [:]
    ) -> Members {
        var members: Members = [
            "transaction_id": .string(id), "original_transaction_id": "1000", "product_id": "com.example.game.gold",
            "purchase_date_ms": .string("\(Self.milliseconds(purchase))"), "quantity": "1",
            "in_app_ownership_type": "PURCHASED",
        ]
        if let second { members["cancellation_date_ms"] = .string("\(Self.milliseconds(second))") }
        return members.merging(changes) { $1 }
    }

    /// A delivery of a body at a second.
    func delivery(_ body: [UInt8], at second: Int64 = 0) throws -> NotificationDelivery {
        NotificationDelivery(
            notification: try StoreNotification(body: body, by: verifier, now: Self.now),
            body: StoreNotification.withoutSecret(body), receivedAt: Self.time(second))
    }

    private func signed(_ payload: Members) throws -> JSONDocument {
        .string(String(decoding: try signer.sign(Self.object(payload).text()), as: UTF8.self))
    }

    private static func object(_ members: Members) -> JSONDocument {
        .object(members.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }
}

extension PostbackStore {
    /// Stores notifications of one lane in one batch.
    ///
    /// - Throws: The first failure.
    @discardableResult
    func record(
        _ deliveries: [NotificationDelivery], accountKey: HMACKey? = nil
    ) async throws -> [NotificationOutcome] {
        try await record(deliveries, lane: deliveries.first?.lane ?? 0, accountKey: accountKey).map { try $0.get() }
    }
}
