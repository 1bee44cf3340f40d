import AppStoreData
import StrictJSON

/// Bodies of version 1, which have no price and no signature.
extension AppStoreSimulator {
    /// The body of an event; dates are there in milliseconds only.
    func v1(_ customer: SimulatedCustomer, _ number: Int) -> [UInt8] {
        let event = customer.events[number]
        let bundleID = configuration.bundleIDs[customer.app]
        var receipt = JSONObjectText()
        receipt.append("environment", Self.environment.rawValue)
        receipt.append("status", Int64(0))
        // Not a receipt, but long and different each time.
        receipt.append("latest_receipt", base64: Array(customer.uuid(number).utf8))
        let listed = customer.listed(event)
        receipt.append("latest_receipt_info", json: Self.array(listed.map { listedTransaction(customer, $0, event) }))
        if let renewal = event.renewal, let purchase = event.purchase {
            let pending = pendingRenewal(customer, purchase, renewal)
            receipt.append("pending_renewal_info", json: Self.array([pending]))
        }
        var body = JSONObjectText()
        body.append("notification_type", event.name.v1 ?? event.name.type)
        body.append("password", configuration.sharedSecret ?? "")
        body.append("environment", Self.environment.rawValue)
        body.append("bid", bundleID)
        body.append("bvrs", "1.2")
        if let purchase = event.purchase {
            let original = customer.purchases[purchase].original
            body.append("original_transaction_id", customer.transactionID(original))
        }
        if let renewal = event.renewal {
            body.append("auto_renew_product_id", renewal.product.id(in: bundleID))
            body.append("auto_renew_status", renewal.isOn ? "true" : "false")
            if event.name == .disabled { body.append("auto_renew_status_change_date_ms", "\(event.at.milliseconds)") }
        }
        body.append("unified_receipt", json: receipt.finished())
        return body.finished()
    }

    /// An object of `latest_receipt_info`: the purchase as it is at the moment of an event.
    private func listedTransaction(
        _ customer: SimulatedCustomer, _ place: Int, _ event: SimulatedStoreEvent
    ) -> [UInt8] {
        let purchase = customer.purchases[place]
        var text = JSONObjectText()
        text.append("transaction_id", customer.transactionID(place))
        text.append("original_transaction_id", customer.transactionID(purchase.original))
        text.append("product_id", purchase.product.id(in: configuration.bundleIDs[customer.app]))
        text.append("quantity", "\(purchase.quantity)")
        text.append("purchase_date_ms", "\(purchase.at.milliseconds)")
        text.append("original_purchase_date_ms", "\(customer.purchases[purchase.original].at.milliseconds)")
        text.append("in_app_ownership_type", purchase.isShared ? "FAMILY_SHARED" : "PURCHASED")
        if let expiresAt = purchase.expiresAt {
            text.append("expires_date_ms", "\(expiresAt.milliseconds)")
            text.append("web_order_line_item_id", customer.transactionID(place))
            text.append("subscription_group_identifier", Self.group(customer.app))
        }
        text.append("is_trial_period", purchase.offer == .freeTrial ? "true" : "false")
        text.append("is_in_intro_offer_period", purchase.offer == .introductory ? "true" : "false")
        if purchase.offer == .promotional { text.append("promotional_offer_id", "welcome-back") }
        if let upgradedAt = purchase.upgradedAt, upgradedAt <= event.at { text.append("is_upgraded", "true") }
        if let token = customer.accountToken, !purchase.isShared { text.append("app_account_token", token) }
        if let refund = purchase.refund, refund.at <= event.at {
            text.append("cancellation_date_ms", "\(refund.at.milliseconds)")
            text.append("cancellation_reason", "\(refund.reason)")
        }
        return text.finished()
    }

    private func pendingRenewal(
        _ customer: SimulatedCustomer, _ place: Int, _ renewal: SimulatedStoreEvent.Renewal
    ) -> [UInt8] {
        let purchase = customer.purchases[place]
        let bundleID = configuration.bundleIDs[customer.app]
        var text = JSONObjectText()
        text.append("original_transaction_id", customer.transactionID(purchase.original))
        text.append("product_id", purchase.product.id(in: bundleID))
        text.append("auto_renew_product_id", renewal.product.id(in: bundleID))
        text.append("auto_renew_status", renewal.isOn ? "1" : "0")
        if renewal.isInRetry { text.append("is_in_billing_retry_period", "1") }
        if let until = renewal.graceUntil { text.append("grace_period_expires_date_ms", "\(until.milliseconds)") }
        if let intent = renewal.intent { text.append("expiration_intent", "\(intent)") }
        if let status = renewal.priceIncrease { text.append("price_consent_status", "\(status)") }
        return text.finished()
    }

    private static func array(_ elements: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }
}
