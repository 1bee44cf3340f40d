import AdAttribution
import ECDSA

extension StoreTransaction {
    /// Reads a signed transaction.
    ///
    /// It is for the caller to check that the app is one of the installation.
    /// - Throws: The first member that broke a rule.
    package init(_ verified: VerifiedPayload) throws(SignedDataError) {
        let object = try PayloadObject(verified.json)
        let environment = StoreEnvironmentRule.environment(
            try object.environment("environment"), isOfTestRoot: verified.isOfTestRoot)
        try self.init(object, of: verified, in: environment)
    }

    /// Reads the members of a signed transaction.
    ///
    /// - Parameter known: The app, if the transaction names none: that of the notification around it.
    init(
        _ object: PayloadObject, of verified: VerifiedPayload, in environment: AttributionEnvironment,
        bundleID known: String? = nil
    ) throws(SignedDataError) {
        guard let bundleID = try object.text("bundleId", limit: StoreRanges.name) ?? known else {
            throw object.missing("bundleId")
        }
        self.init(
            environment: environment,
            transactionID: try object.requiredText("transactionId"),
            originalTransactionID: try object.requiredText("originalTransactionId"),
            bundleID: bundleID,
            productID: try object.requiredText("productId", limit: StoreRanges.name),
            purchasedAt: try object.requiredTime("purchaseDate"))
        signedAt = verified.signedAt
        payloadSHA256 = verified.digest
        webOrderLineItemID = try object.text("webOrderLineItemId")
        subscriptionGroup = try object.text("subscriptionGroupIdentifier")
        originallyPurchasedAt = try object.time("originalPurchaseDate")
        expiresAt = try object.time("expiresDate")
        quantity = try object.integer("quantity", StoreRanges.quantity) ?? 1
        type = try object.text("type")
        accountToken = try object.text("appAccountToken", isShown: false)
        ownership = try object.text("inAppOwnershipType")
        revokedAt = try object.time("revocationDate")
        revocationReason = try object.integer("revocationReason", StoreRanges.kind)
        revocationType = try object.text("revocationType")
        revocationPercentage = try object.integer("revocationPercentage", StoreRanges.percentage)
        isUpgraded = try object.boolean("isUpgraded") ?? false
        offerType = try object.integer("offerType", StoreRanges.kind)
        offerID = try object.label("offerIdentifier", limit: StoreRanges.name)
        offerDiscountType = try object.text("offerDiscountType")
        storefront = try object.text("storefront")
        reason = try object.text("transactionReason")
        currency = try object.text("currency")
        price = try object.integer("price", StoreRanges.price)
        object.know(
            "environment", "signedDate", "storefrontId", "appTransactionId", "offerPeriod", "advancedCommerceInfo",
            "billingPlanType", "commitmentInfo", "deviceVerification", "deviceVerificationNonce")
    }

    /// Reads an element of V1's `latest_receipt_info`.
    ///
    /// V1 has no price. One that has a price was not made by Apple.
    init(v1 object: PayloadObject, environment: AttributionEnvironment, bundleID: String) throws(SignedDataError) {
        for name in ["price", "currency"] where object.has(name) {
            throw object.refusal(.malformed, name, "must not be there, since V1 has no price")
        }
        guard let purchasedAt = try object.number("purchase_date_ms", StoreRanges.time) else {
            throw object.missing("purchase_date_ms")
        }
        self.init(
            environment: environment,
            transactionID: try object.requiredText("transaction_id"),
            originalTransactionID: try object.requiredText("original_transaction_id"),
            bundleID: bundleID,
            productID: try object.requiredText("product_id", limit: StoreRanges.name),
            purchasedAt: purchasedAt)
        webOrderLineItemID = try object.text("web_order_line_item_id")
        subscriptionGroup = try object.text("subscription_group_identifier")
        originallyPurchasedAt = try object.number("original_purchase_date_ms", StoreRanges.time)
        expiresAt = try object.number("expires_date_ms", StoreRanges.time)
        quantity = try object.number("quantity", StoreRanges.quantity) ?? 1
        accountToken = try object.text("app_account_token", isShown: false)
        ownership = try object.text("in_app_ownership_type")
        revokedAt = try object.number("cancellation_date_ms", StoreRanges.time)
        revocationReason = try object.number("cancellation_reason", StoreRanges.kind)
        isUpgraded = try object.flag("is_upgraded") ?? false
        isTrial = try object.flag("is_trial_period")
        let promotion = try object.label("promotional_offer_id", limit: StoreRanges.name)
        let code = try object.label("offer_code_ref_name")
        offerID = promotion ?? code
        object.know(
            "purchase_date", "purchase_date_pst", "original_purchase_date", "original_purchase_date_pst",
            "expires_date", "expires_date_pst", "cancellation_date", "cancellation_date_pst",
            "is_in_intro_offer_period")
    }
}

extension VerifiedPayload {
    /// The SHA-256 of the payload; nil only if libcrypto itself fails.
    var digest: [UInt8]? {
        let digest = SHA256.digest(json)
        return digest.count == 32 ? digest : nil
    }
}
