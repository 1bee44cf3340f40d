/// A customer's subscriptions as they are now, by group.
package struct SubscriptionStatuses: Sendable, Equatable {
    /// One subscription.
    package struct Subscription: Sendable, Equatable {
        /// Its group.
        package let group: String?
        /// The first transaction of it.
        package let originalTransactionID: String?
        /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; others if Apple adds some.
        package let status: Int64?
        /// Its latest transaction, a JWS.
        package let signedTransaction: String?
        /// Its renewal, a JWS.
        package let signedRenewal: String?
    }

    /// The subscriptions, in Apple's order.
    package let subscriptions: [Subscription]
    /// The app.
    package let bundleID: String?
    /// The environment in Apple's word.
    package let environment: String?

    init(_ answer: AnswerObject) throws(StoreAPIError) {
        var subscriptions: [Subscription] = []
        for group in try answer.objects("data") {
            let name = try group.text("subscriptionGroupIdentifier")
            for last in try group.objects("lastTransactions") {
                subscriptions.append(
                    Subscription(
                        group: name, originalTransactionID: try last.text("originalTransactionId"),
                        status: try last.integer("status"), signedTransaction: try last.text("signedTransactionInfo"),
                        signedRenewal: try last.text("signedRenewalInfo")))
            }
        }
        self.subscriptions = subscriptions
        bundleID = try answer.text("bundleId")
        environment = try answer.text("environment")
    }
}
