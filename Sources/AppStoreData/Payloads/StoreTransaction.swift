package import AdAttribution

/// A transaction of the App Store: a purchase, a renewal, or the copy of a family member.
///
/// Times are milliseconds since 1970. Texts are Apple's, unknown ones too.
/// Source: Apple, `JWSTransactionDecodedPayload` and `unified_receipt.Latest_receipt_info`.
package struct StoreTransaction: Sendable, Equatable {
    /// Where it counts.
    package let environment: AttributionEnvironment
    /// What it is counted by, with the environment.
    package let transactionID: String
    /// The first transaction of a subscription; for others mostly the transaction itself.
    package let originalTransactionID: String
    /// The app.
    package let bundleID: String
    /// The product of the app.
    package let productID: String
    /// When the customer was charged.
    package let purchasedAt: Int64

    /// The purchase on all devices, renewals included.
    package var webOrderLineItemID: String?
    /// The subscription group.
    package var subscriptionGroup: String?
    /// When the original transaction was made.
    package var originallyPurchasedAt: Int64?
    /// When a subscription ends or renews.
    package var expiresAt: Int64?
    /// How many were bought.
    package var quantity: Int64 = 1
    /// The type of the product, such as `Auto-Renewable Subscription`.
    package var type: String?
    /// `appAccountToken`: an id of the customer, so it is only kept as a hash.
    package var accountToken: String?
    /// `PURCHASED` or `FAMILY_SHARED`.
    package var ownership: String?
    /// When Apple signed this; nil for V1.
    package var signedAt: Int64?
    /// The SHA-256 of the signed payload, which orders two of the same time; nil for V1.
    package var payloadSHA256: [UInt8]?
    /// When it was refunded, or taken from a family member.
    package var revokedAt: Int64?
    /// 1 if the customer named an issue within the app, 0 for others.
    package var revocationReason: Int64?
    /// `REFUND_FULL`, `REFUND_PRORATED` or `FAMILY_REVOKE`.
    package var revocationType: String?
    /// How much of the price was refunded, in thousandths of a percent.
    package var revocationPercentage: Int64?
    /// Whether the customer changed to a higher plan.
    package var isUpgraded = false
    /// 1 introductory, 2 promotional, 3 an offer code, 4 for a customer who left.
    package var offerType: Int64?
    /// The name of the offer.
    package var offerID: String?
    /// `FREE_TRIAL`, `PAY_AS_YOU_GO` or `PAY_UP_FRONT`.
    package var offerDiscountType: String?
    /// The country of the store, as ISO 3166-1 alpha-3.
    package var storefront: String?
    /// `PURCHASE` or `RENEWAL`.
    package var reason: String?
    /// The currency of the price, as ISO 4217.
    package var currency: String?
    /// The price of all that were bought together, in milliunits of the currency; nil for V1.
    package var price: Int64?
    /// Whether this is a free trial, as V1 says it.
    package var isTrial: Bool?

    /// A transaction of what Apple always gives.
    package init(
        environment: AttributionEnvironment, transactionID: String, originalTransactionID: String, bundleID: String,
        productID: String, purchasedAt: Int64
    ) {
        self.environment = environment
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.bundleID = bundleID
        self.productID = productID
        self.purchasedAt = purchasedAt
    }
}
