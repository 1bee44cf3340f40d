import AppStoreData
import StrictJSON

/// Bodies of version 2, whose members are called as Apple calls them.
extension AppStoreSimulator {
    /// The body of an event.
    func v2(_ customer: SimulatedCustomer, _ number: Int) throws -> [UInt8] {
        let event = customer.events[number]
        var data = JSONObjectText()
        data.append("bundleId", configuration.bundleIDs[customer.app])
        data.append("bundleVersion", "1.2")
        data.append("environment", Self.environment.rawValue)
        if event.name == .asked { data.append("consumptionRequestReason", "UNINTENDED_PURCHASE") }
        if let status = event.status { data.append("status", status) }
        if let purchase = event.purchase {
            data.append("signedTransactionInfo", try signed(transaction(customer, purchase, event)))
            if let renewal = event.renewal {
                data.append("signedRenewalInfo", try signed(self.renewal(customer, purchase, renewal, at: event.at)))
            }
        }
        var payload = JSONObjectText()
        payload.append("notificationType", event.name.type)
        if let subtype = event.name.subtype { payload.append("subtype", subtype) }
        payload.append("notificationUUID", customer.uuid(number))
        payload.append("data", json: data.finished())
        payload.append("version", "2.0")
        payload.append("signedDate", event.at.milliseconds)
        if event.name == .unknown { payload.append("madeUpLater", json: Array(#"{"of":["it",null]}"#.utf8)) }
        var body = JSONObjectText()
        body.append("signedPayload", try signed(payload.finished()))
        return body.finished()
    }

    private func signed(_ payload: [UInt8]) throws -> String {
        String(decoding: try signer.sign(payload), as: UTF8.self)
    }

    /// The transaction of a purchase, as it is at the moment of an event.
    private func transaction(_ customer: SimulatedCustomer, _ place: Int, _ event: SimulatedStoreEvent) -> [UInt8] {
        let purchase = customer.purchases[place]
        let first = customer.purchases[purchase.original]
        var text = JSONObjectText()
        text.append("transactionId", customer.transactionID(place))
        text.append("originalTransactionId", customer.transactionID(purchase.original))
        text.append("bundleId", configuration.bundleIDs[customer.app])
        text.append("productId", purchase.product.id(in: configuration.bundleIDs[customer.app]))
        if let expiresAt = purchase.expiresAt {
            text.append("webOrderLineItemId", customer.transactionID(place))
            text.append("subscriptionGroupIdentifier", Self.group(customer.app))
            text.append("expiresDate", expiresAt.milliseconds)
        }
        text.append("purchaseDate", purchase.at.milliseconds)
        text.append("originalPurchaseDate", first.at.milliseconds)
        text.append("quantity", purchase.quantity)
        text.append("type", purchase.product.type)
        if let token = customer.accountToken, !purchase.isShared { text.append("appAccountToken", token) }
        text.append("inAppOwnershipType", purchase.isShared ? "FAMILY_SHARED" : "PURCHASED")
        text.append("signedDate", event.at.milliseconds)
        if let refund = purchase.refund(at: event.at) {
            text.append("revocationReason", refund.reason)
            text.append("revocationDate", refund.at.milliseconds)
            if let type = refund.type { text.append("revocationType", type) }
            if let percentage = refund.percentage { text.append("revocationPercentage", percentage) }
        }
        if let upgradedAt = purchase.upgradedAt, upgradedAt <= event.at { text.append("isUpgraded", true) }
        if let offer = purchase.offer { Self.append(offer, to: &text) }
        text.append("environment", Self.environment.rawValue)
        text.append("storefront", customer.storefront.code)
        text.append("storefrontId", customer.storefront.id)
        text.append("transactionReason", purchase.isRenewal ? "RENEWAL" : "PURCHASE")
        text.append("currency", customer.storefront.currency)
        text.append("price", purchase.price)
        if event.name == .unknown { text.append("madeUpLater", true) }
        return text.finished()
    }

    private static func append(_ offer: SimulatedPurchase.Offer, to text: inout JSONObjectText) {
        text.append("offerType", Int64(offer == .promotional ? 2 : 1))
        switch offer {
        case .freeTrial:
            text.append("offerDiscountType", "FREE_TRIAL")
            text.append("offerPeriod", "P1W")
        case .introductory: text.append("offerDiscountType", "PAY_AS_YOU_GO")
        case .promotional:
            text.append("offerIdentifier", "welcome-back")
            text.append("offerDiscountType", "PAY_UP_FRONT")
        }
    }

    private func renewal(
        _ customer: SimulatedCustomer, _ place: Int, _ renewal: SimulatedStoreEvent.Renewal, at moment: Moment
    ) -> [UInt8] {
        let purchase = customer.purchases[place]
        let bundleID = configuration.bundleIDs[customer.app]
        var text = JSONObjectText()
        text.append("originalTransactionId", customer.transactionID(purchase.original))
        text.append("autoRenewProductId", renewal.product.id(in: bundleID))
        text.append("productId", purchase.product.id(in: bundleID))
        text.append("autoRenewStatus", Int64(renewal.isOn ? 1 : 0))
        text.append("renewalPrice", renewal.price)
        text.append("currency", customer.storefront.currency)
        text.append("signedDate", moment.milliseconds)
        text.append("environment", Self.environment.rawValue)
        text.append("recentSubscriptionStartDate", renewal.startedAt.milliseconds)
        text.append("renewalDate", renewal.at.milliseconds)
        if let intent = renewal.intent { text.append("expirationIntent", intent) }
        if renewal.isInRetry { text.append("isInBillingRetryPeriod", true) }
        if let until = renewal.graceUntil { text.append("gracePeriodExpiresDate", until.milliseconds) }
        if let status = renewal.priceIncrease { text.append("priceIncreaseStatus", status) }
        return text.finished()
    }

    /// The group of an app's subscriptions.
    static func group(_ app: Int) -> String { String(21_000_000 + app) }
}
