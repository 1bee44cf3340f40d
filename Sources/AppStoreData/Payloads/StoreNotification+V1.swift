import ECDSA

extension StoreNotification {
    /// The greatest number of transactions, and of renewals.
    ///
    /// Apple sends up to 100.
    private static let mostElements = 1_000

    /// Reads a body of V1, its app and its secret first.
    ///
    /// What V1 writes beside `unified_receipt` is the same in other words, or from before 2021.
    init(
        plain object: PayloadObject, _ body: [UInt8], by verifier: SignedDataVerifier
    ) throws(SignedDataError) {
        let bundleID = try verifier.trust.app(try object.text("bid", limit: StoreRanges.name), "bid").bundleID
        guard let secret = try object.utf8("password") else {
            throw object.refusal(.wrongSecret, "password", "is missing")
        }
        guard verifier.trust.takes(secret: secret, of: bundleID) else {
            throw object.refusal(.wrongSecret, "password", "must be the shared secret of the app")
        }
        // A digest is empty only if libcrypto itself fails.
        let kept = Self.withoutSecret(body)
        let digest = SHA256.digest(kept)
        guard digest.count == 32 else { throw object.refusal(.malformed, "body", "must have a SHA-256") }
        let genuine = GenuineNotification(id: Array(digest.prefix(16)), kept: kept)
        do throws(SignedDataError) {
            try self.init(genuine, object, of: bundleID)
        } catch {
            throw error.of(genuine)
        }
    }

    /// Reads a body of V1 that had the secret of its app.
    private init(
        _ genuine: GenuineNotification, _ object: PayloadObject, of bundleID: String
    ) throws(SignedDataError) {
        let type = try object.requiredText("notification_type")
        guard let stated = try object.environmentV1("environment") else { throw object.missing("environment") }
        let environment = StoreEnvironmentRule.environment(stated, isOfTestRoot: false)
        var transactions: [StoreTransaction] = []
        var renewals: [StoreRenewal] = []
        var unknown: [String] = []
        if let receipt = try object.object("unified_receipt") {
            if let own = try receipt.environmentV1("environment"), own != stated {
                throw receipt.refusal(.wrongEnvironment, "environment", "must be that of the notification")
            }
            for element in try receipt.objects("latest_receipt_info", most: Self.mostElements) {
                transactions.append(
                    try StoreTransaction(v1: element, environment: environment, bundleID: bundleID))
                unknown += element.unknownNames.map { "unified_receipt.latest_receipt_info.\($0)" }
            }
            for element in try receipt.objects("pending_renewal_info", most: Self.mostElements) {
                renewals.append(try StoreRenewal(v1: element, environment: environment, bundleID: bundleID))
                unknown += element.unknownNames.map { "unified_receipt.pending_renewal_info.\($0)" }
            }
            receipt.know("latest_receipt", "status")
            unknown += receipt.unknownNames.map { "unified_receipt.\($0)" }
        }
        let original = try object.identifier("original_transaction_id")
        // A wrong value is no reason to refuse a notification: it counts as none.
        let change = try? object.number("auto_renew_status_change_date_ms", StoreRanges.time)
        object.know(
            "auto_renew_adam_id", "auto_renew_product_id", "auto_renew_status", "auto_renew_status_change_date",
            "auto_renew_status_change_date_pst", "bvrs", "cancellation_date",
            "cancellation_date_ms", "cancellation_date_pst", "cancellation_reason", "deprecation",
            "expiration_intent", "latest_expired_receipt", "latest_expired_receipt_info", "latest_receipt",
            "latest_receipt_info", "product_id", "web_order_line_item_id")
        self.init(
            version: .v1, id: genuine.id, type: type, subtype: nil, environment: environment,
            bundleID: bundleID, appID: nil, originalTransactionID: original, signedAt: nil, status: nil,
            transactions: transactions, renewals: renewals, appTransaction: nil,
            unknownMembers: unknown + object.unknownNames, kept: genuine.kept, renewalChangedAt: change)
    }

    /// The last purchase or cancellation that a body of V1 states, in milliseconds since 1970; nil for V2.
    ///
    /// Nobody signs V1, so it has no time of its own. But an older body can't know of a later purchase.
    package var lastTransactionAt: Int64? {
        guard version == .v1 else { return nil }
        return (transactions.map(\.purchasedAt) + transactions.compactMap(\.revokedAt)).max()
    }
}
