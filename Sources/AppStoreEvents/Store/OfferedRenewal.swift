import AdAttribution
import AppStoreData
import PostgresClient

/// Renewal info that a notification brings, with the status of its subscription.
struct OfferedRenewal: StoreOffer {
    let renewal: StoreRenewal
    let bundleID: String
    let status: Int64?
    let receivedAt: PostgresTimestamp
    /// The last purchase or cancellation that its notification states, if that is of V1.
    let knownAt: PostgresTimestamp?
    /// When the renewal was turned on or off, if its notification is of V1 and states it.
    let renewalChangedAt: PostgresTimestamp?

    /// The renewals of a delivery; those of which neither says the app are left out.
    static func all(of delivery: NotificationDelivery) -> [OfferedRenewal] {
        let notification = delivery.notification
        guard !notification.renewals.isEmpty else { return [] }
        let knownAt = notification.lastTransactionAt.map(PostgresTimestamp.init(millisecondsSince1970:))
        let changedAt = notification.renewalChangedAt.map(PostgresTimestamp.init(millisecondsSince1970:))
        return notification.renewals.compactMap { renewal in
            (renewal.bundleID ?? notification.bundleID).map {
                OfferedRenewal(
                    renewal: renewal, bundleID: $0, status: notification.status, receivedAt: delivery.receivedAt,
                    knownAt: knownAt, renewalChangedAt: changedAt)
            }
        }
    }

    var environment: AttributionEnvironment { renewal.environment }
    var id: String { renewal.originalTransactionID }
    var productID: String { renewal.productID }

    var version: StoreVersion {
        StoreVersion(
            signedAt: renewal.signedAt.map(PostgresTimestamp.init(millisecondsSince1970:)), revokedAt: nil,
            payloadSHA256: renewal.payloadSHA256, knownAt: knownAt, renewalChangedAt: renewalChangedAt)
    }

    static let table = StoreOfferTable<OfferedRenewal>(
        "store_renewals", table: "store_renewal", id: "original_transaction_id", hasKnownAt: true,
        columns: [
            .text("auto_renew_product_id") { $0.renewal.autoRenewProductID },
            .integer("auto_renew_status") { $0.renewal.autoRenewStatus },
            .integer("expiration_intent") { $0.renewal.expirationIntent },
            .boolean("is_in_billing_retry") { $0.renewal.isInBillingRetry },
            .milliseconds("grace_period_expires_at") { $0.renewal.gracePeriodExpiresAt },
            .milliseconds("renews_at") { $0.renewal.renewsAt },
            .integer("renewal_price") { $0.renewal.renewalPrice },
            .text("currency") { $0.renewal.currency },
            .integer("price_increase_status") { $0.renewal.priceIncreaseStatus },
            .text("offer_id") { $0.renewal.offerID },
            .milliseconds("recent_subscription_start_at") { $0.renewal.recentSubscriptionStartAt },
            .integer("status") { $0.status },
            .time("known_at") { $0.knownAt },
            .time("renewal_changed_at") { $0.renewalChangedAt },
            .time("received_at") { $0.receivedAt },
        ])
}
