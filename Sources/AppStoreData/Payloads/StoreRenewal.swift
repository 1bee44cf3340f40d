package import AdAttribution

/// What is to become of a subscription: its next renewal, or why there is none.
///
/// Times are milliseconds since 1970.
/// Source: Apple, `JWSRenewalInfoDecodedPayload` and `unified_receipt.Pending_renewal_info`.
package struct StoreRenewal: Sendable, Equatable {
    /// Where it counts.
    package let environment: AttributionEnvironment
    /// The subscription.
    package let originalTransactionID: String
    /// The product that is subscribed now.
    package let productID: String

    /// The app, if it is known.
    package var bundleID: String?
    /// The product at the next renewal.
    package var autoRenewProductID: String?
    /// 1 if it will renew, 0 if the customer turned that off.
    package var autoRenewStatus: Int64?
    /// Why it expired: 1 cancelled, 2 billing, 3 price, 4 not for sale, 5 other.
    package var expirationIntent: Int64?
    /// Whether the App Store still tries to charge the customer.
    package var isInBillingRetry: Bool?
    /// How long the customer keeps the service though billing failed.
    package var gracePeriodExpiresAt: Int64?
    /// When it renews.
    package var renewsAt: Int64?
    /// What the renewal will cost, in milliunits of the currency.
    package var renewalPrice: Int64?
    /// The currency of the price, as ISO 4217.
    package var currency: String?
    /// 1 if the customer agreed to a higher price, 0 if not yet.
    package var priceIncreaseStatus: Int64?
    /// The name of the offer for the renewal.
    package var offerID: String?
    /// When the first of the present row of renewals began, without gaps of up to 60 days.
    package var recentSubscriptionStartAt: Int64?
    /// When Apple signed this; nil for V1.
    package var signedAt: Int64?
    /// The SHA-256 of the signed payload, which orders two of the same time; nil for V1.
    package var payloadSHA256: [UInt8]?

    /// A renewal of what Apple always gives.
    package init(environment: AttributionEnvironment, originalTransactionID: String, productID: String) {
        self.environment = environment
        self.originalTransactionID = originalTransactionID
        self.productID = productID
    }

    /// Reads signed renewal info.
    ///
    /// - Throws: The first member that broke a rule.
    package init(_ verified: VerifiedPayload) throws(SignedDataError) {
        let object = try PayloadObject(verified.json)
        let environment = StoreEnvironmentRule.environment(
            try object.environment("environment"), isOfTestRoot: verified.isOfTestRoot)
        try self.init(object, of: verified, in: environment)
    }

    /// Reads the members of signed renewal info.
    init(
        _ object: PayloadObject, of verified: VerifiedPayload, in environment: AttributionEnvironment
    ) throws(SignedDataError) {
        self.init(
            environment: environment, originalTransactionID: try object.requiredText("originalTransactionId"),
            productID: try object.requiredText("productId", limit: StoreRanges.name))
        signedAt = verified.signedAt
        payloadSHA256 = verified.digest
        bundleID = try object.text("bundleId", limit: StoreRanges.name)
        autoRenewProductID = try object.text("autoRenewProductId", limit: StoreRanges.name)
        autoRenewStatus = try object.integer("autoRenewStatus", StoreRanges.kind)
        expirationIntent = try object.integer("expirationIntent", StoreRanges.kind)
        isInBillingRetry = try object.boolean("isInBillingRetryPeriod")
        gracePeriodExpiresAt = try object.time("gracePeriodExpiresDate")
        renewsAt = try object.time("renewalDate")
        renewalPrice = try object.integer("renewalPrice", StoreRanges.price)
        currency = try object.text("currency")
        priceIncreaseStatus = try object.integer("priceIncreaseStatus", StoreRanges.kind)
        offerID = try object.label("offerIdentifier", limit: StoreRanges.name)
        recentSubscriptionStartAt = try object.time("recentSubscriptionStartDate")
        object.know(
            "environment", "signedDate", "offerType", "offerDiscountType", "offerPeriod", "eligibleWinBackOfferIds",
            "appTransactionId", "appAccountToken", "advancedCommerceInfo", "commitmentInfo", "renewalBillingPlanType",
            "deviceVerification", "deviceVerificationNonce")
    }

    /// Reads an element of V1's `pending_renewal_info`.
    init(v1 object: PayloadObject, environment: AttributionEnvironment, bundleID: String) throws(SignedDataError) {
        self.init(
            environment: environment, originalTransactionID: try object.requiredText("original_transaction_id"),
            productID: try object.requiredText("product_id", limit: StoreRanges.name))
        self.bundleID = bundleID
        autoRenewProductID = try object.text("auto_renew_product_id", limit: StoreRanges.name)
        autoRenewStatus = try object.number("auto_renew_status", StoreRanges.kind)
        expirationIntent = try object.number("expiration_intent", StoreRanges.kind)
        isInBillingRetry = try object.flag("is_in_billing_retry_period")
        gracePeriodExpiresAt = try object.number("grace_period_expires_date_ms", StoreRanges.time)
        priceIncreaseStatus = try object.number("price_consent_status", StoreRanges.kind)
        let promotion = try object.label("promotional_offer_id", limit: StoreRanges.name)
        let code = try object.label("offer_code_ref_name")
        offerID = promotion ?? code
        object.know("grace_period_expires_date", "grace_period_expires_date_pst")
    }
}
