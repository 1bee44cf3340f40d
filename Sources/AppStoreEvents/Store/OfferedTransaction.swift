import AdAttribution
import AppStoreData
import PostgresClient

/// A transaction that a notification brings.
struct OfferedTransaction: StoreOffer {
    let transaction: StoreTransaction
    let receivedAt: PostgresTimestamp
    /// The account token's code under the installation's key; nil without a token or a key.
    let accountHash: [UInt8]?
    let version: StoreVersion

    /// Takes a transaction and its time of receipt.
    ///
    /// The account token is somebody's id, so only its code is kept. The token is a UUID: it is hashed in lower case.
    init(_ transaction: StoreTransaction, receivedAt: PostgresTimestamp, accountKey: HMACKey?) {
        self.transaction = transaction
        self.receivedAt = receivedAt
        accountHash = transaction.accountToken.flatMap { accountKey?.code(of: Array($0.lowercased().utf8)) }
        version = StoreVersion(
            signedAt: transaction.signedAt.map(PostgresTimestamp.init(millisecondsSince1970:)),
            revokedAt: transaction.revokedAt.map(PostgresTimestamp.init(millisecondsSince1970:)),
            payloadSHA256: transaction.payloadSHA256)
    }

    var environment: AttributionEnvironment { transaction.environment }
    var id: String { transaction.transactionID }
    var bundleID: String { transaction.bundleID }
    var productID: String { transaction.productID }

    static let table = StoreOfferTable<OfferedTransaction>(
        "store_transactions", table: "store_transaction", id: "transaction_id", hasRevocation: true,
        columns: [
            .text("original_transaction_id") { $0.transaction.originalTransactionID },
            .milliseconds("purchased_at") { $0.transaction.purchasedAt },
            .milliseconds("originally_purchased_at") { $0.transaction.originallyPurchasedAt },
            .milliseconds("expires_at") { $0.transaction.expiresAt },
            .time("received_at") { $0.receivedAt },
            .integer("quantity") { $0.transaction.quantity },
            .text("type") { $0.transaction.type },
            .text("ownership") { $0.transaction.ownership },
            .text("reason") { $0.transaction.reason },
            .text("storefront") { $0.transaction.storefront },
            .text("currency") { $0.transaction.currency },
            .integer("price") { $0.transaction.price },
            .integer("offer_type") { $0.transaction.offerType },
            .text("offer_id") { $0.transaction.offerID },
            .text("offer_discount_type") { $0.transaction.offerDiscountType },
            .boolean("is_trial") { $0.transaction.isTrial },
            .time("revoked_at") { $0.version.revokedAt },
            .integer("revocation_reason") { $0.transaction.revocationReason },
            .text("revocation_type") { $0.transaction.revocationType },
            .integer("revocation_percentage") { $0.transaction.revocationPercentage },
            .boolean("is_upgraded") { $0.transaction.isUpgraded },
            .bytes("account_hash") { $0.accountHash },
        ])
}
