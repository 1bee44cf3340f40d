/// Something that the App Store notifies of.
struct SimulatedStoreEvent: Sendable {
    /// What it is called.
    struct Name: Sendable, Hashable {
        /// `notificationType` and `subtype` of version 2.
        let type: String
        let subtype: String?
        /// `notification_type` of version 1; nil if that version does not have it.
        let v1: String?

        fileprivate init(_ type: String, _ subtype: String? = nil, v1: String? = nil) {
            self.type = type
            self.subtype = subtype
            self.v1 = v1
        }

        static let bought = Name("ONE_TIME_CHARGE")
        static let subscribed = Name("SUBSCRIBED", "INITIAL_BUY", v1: "INITIAL_BUY")
        static let resubscribed = Name("SUBSCRIBED", "RESUBSCRIBE", v1: "INTERACTIVE_RENEWAL")
        static let renewed = Name("DID_RENEW", v1: "DID_RENEW")
        static let recovered = Name("DID_RENEW", "BILLING_RECOVERY", v1: "DID_RECOVER")
        static let failed = Name("DID_FAIL_TO_RENEW", v1: "DID_FAIL_TO_RENEW")
        static let failedWithGrace = Name("DID_FAIL_TO_RENEW", "GRACE_PERIOD", v1: "DID_FAIL_TO_RENEW")
        static let graceExpired = Name("GRACE_PERIOD_EXPIRED")
        static let disabled = Name(
            "DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", v1: "DID_CHANGE_RENEWAL_STATUS")
        static let expired = Name("EXPIRED", "VOLUNTARY")
        static let expiredInRetry = Name("EXPIRED", "BILLING_RETRY")
        static let upgraded = Name("DID_CHANGE_RENEWAL_PREF", "UPGRADE", v1: "INTERACTIVE_RENEWAL")
        static let dearer = Name("PRICE_INCREASE", "PENDING", v1: "PRICE_INCREASE_CONSENT")
        static let dearerAccepted = Name("PRICE_INCREASE", "ACCEPTED")
        static let asked = Name("CONSUMPTION_REQUEST", v1: "CONSUMPTION_REQUEST")
        static let refunded = Name("REFUND", v1: "REFUND")
        static let refundedSubscription = Name("REFUND", v1: "CANCEL")
        static let reversed = Name("REFUND_REVERSED")
        static let revoked = Name("REVOKE", v1: "REVOKE")
        static let test = Name("TEST")
        /// A type that nobody knows yet.
        static let unknown = Name("MADE_UP_LATER", "WITH_MORE", v1: "MADE_UP_LATER")
    }

    /// What is said about the next renewal.
    struct Renewal: Sendable {
        let product: SimulatedProduct
        let isOn: Bool
        /// In milliunits of the storefront's currency.
        let price: Int64
        /// When it is due.
        let at: Moment
        /// When the subscription began, or began again.
        let startedAt: Moment
        /// 0 if the customer has to agree to a price, 1 after that; nil if there is none to agree to.
        var priceIncrease: Int64?
        /// Why it ended: 1 by the customer, 2 by a failed payment; nil if it did not.
        var intent: Int64?
        var isInRetry = false
        var graceUntil: Moment?
    }

    let name: Name
    /// When it is signed.
    var at: Moment
    /// The place of the purchase that it is about; nil for a test.
    let purchase: Int?
    let renewal: Renewal?
    /// The status of the subscription, 1…5; nil if it is about no subscription.
    let status: Int64?
}
