package import AdAttribution
package import AppStoreData
package import Foundation

/// The App Store of a test: it signs notifications about one app under a root of its own.
package struct TestAppStore: Sendable {
    /// The app.
    package static let bundleID = "com.example.game"
    /// The secret of the app's notifications of version 1.
    package static let secret = "5c0ffee5c0ffee5c0ffee5c0ffee5c0f"

    /// What signs.
    package let signer: StoreSigner

    /// An App Store with a new root.
    package init() throws {
        signer = try StoreSigner.make(validFrom: 1_500_000_000, validTo: 4_000_000_000)
    }

    /// The root as a key ring names it.
    package var rootPEM: String {
        let text = Data(signer.root.der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    }

    /// A verifier that trusts the root, and takes notifications about the app.
    package var verifier: SignedDataVerifier { SignedDataVerifier(trust: trust()) }

    /// What a key ring with the root says.
    ///
    /// - Parameter apps: The bundle ids of the apps.
    package func trust(apps: [String] = [TestAppStore.bundleID]) -> StoreTrust {
        StoreTrust(
            apps: apps.map { StoreApp(bundleID: $0, appID: nil) },
            sharedSecrets: [SharedSecret(bundleID: Self.bundleID, secret: Array(Self.secret.utf8))],
            testRoots: [signer.root], accountKey: nil)
    }

    /// A notification of version 2 about a purchase.
    ///
    /// - Parameters:
    ///   - id: Its id, with which the transaction's begins.
    ///   - price: In thousandths.
    package func v2(
        _ id: UUID = UUID(), type: String = "SUBSCRIBED", bundleID: String = TestAppStore.bundleID, price: Int = 4_990
    ) throws -> [UInt8] {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let name = id.uuidString.lowercased()
        let transaction = """
            {"transactionId":"\(name)","originalTransactionId":"\(name)","bundleId":"\(bundleID)",\
            "productId":"gold","purchaseDate":\(now),"originalPurchaseDate":\(now),"quantity":1,\
            "type":"Consumable","inAppOwnershipType":"PURCHASED","signedDate":\(now),"environment":"Sandbox",\
            "transactionReason":"PURCHASE","storefront":"DEU","currency":"EUR","price":\(price)}
            """
        let payload = """
            {"notificationType":"\(type)","notificationUUID":"\(name)","version":"2.0","signedDate":\(now),\
            "data":{"bundleId":"\(bundleID)","environment":"Sandbox",\
            "signedTransactionInfo":"\(try signed(transaction))"}}
            """
        return Array("{\"signedPayload\":\"\(try signed(payload))\"}".utf8)
    }

    /// A notification of version 1, about a renewal if it has no other type.
    ///
    /// - Parameters:
    ///   - transaction: The id of its transaction.
    ///   - more: More members of the transaction, each with a comma before it.
    package static func v1(
        _ transaction: String = "1000", type: String = "DID_RENEW", secret: String = TestAppStore.secret,
        bundleID: String = TestAppStore.bundleID, more: String = ""
    ) -> [UInt8] {
        Array(
            """
            {"notification_type":"\(type)","password":"\(secret)","environment":"Sandbox","bid":"\(bundleID)",\
            "unified_receipt":{"environment":"Sandbox","status":0,"latest_receipt_info":[\
            {"transaction_id":"\(transaction)","original_transaction_id":"1000","product_id":"gold",\
            "purchase_date_ms":"1700000000000","quantity":"1"\(more)}]}}
            """.utf8)
    }

    private func signed(_ payload: String) throws -> String {
        String(decoding: try signer.sign(Array(payload.utf8)), as: UTF8.self)
    }
}
