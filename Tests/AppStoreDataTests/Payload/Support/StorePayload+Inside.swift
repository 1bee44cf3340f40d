/// What is signed inside of a notification, or alone.
extension StorePayload {
    /// The members of a transaction that was refunded in full.
    static let transactionMembers = #"""
        "transactionId":"700100200300413","originalTransactionId":"700100200300400",
        "webOrderLineItemId":"700500600700","bundleId":"org.example.orchard",
        "productId":"org.example.orchard.yearly","subscriptionGroupIdentifier":"21500777",
        "purchaseDate":1691000012345,"originalPurchaseDate":1659460000111,"expiresDate":1722600012345,
        "quantity":1,"type":"Auto-Renewable Subscription","appAccountToken":"c0a3b1d2-94e5-4f67-8a9b-2d41e6f07c58",
        "inAppOwnershipType":"PURCHASED","signedDate":1695555100888,"revocationReason":1,
        "revocationDate":1695555000777,"isUpgraded":true,"offerType":3,"offerIdentifier":"harvest-23",
        "offerDiscountType":"PAY_UP_FRONT","offerPeriod":"P3M","environment":"Xcode","transactionReason":"RENEWAL",
        "storefront":"SWE","storefrontId":"143456","price":129500,"currency":"SEK",
        "appTransactionId":"704400550066007700","billingPlanType":"MONTHLY",
        "commitmentInfo":{"billingPeriodNumber":2,"commitmentExpiresDate":1722600012999,"commitmentPrice":777000,
        "totalBillingPeriods":6},
        "advancedCommerceInfo":{"descriptors":{"description":"Seeds by post","displayName":"Seeds"},
        "estimatedTax":25900,"items":[{"SKU":"orchard.apple","description":"Apple seeds","displayName":"Apples",
        "price":64750,"refunds":[{"refundAmount":21583,"refundDate":1695554000111,"refundReason":"LEGAL",
        "refundType":"CUSTOM"}],"revocationDate":1695554000222}],"period":"P1Y","requestReferenceId":"orchard-813",
        "taxCode":"FRUIT-7","taxExclusivePrice":103600,"taxRate":"0.25"}
        """#

    /// The members of renewal info of a subscription in its grace period.
    static let renewalMembers = #"""
        "expirationIntent":2,"originalTransactionId":"700100200300400",
        "autoRenewProductId":"org.example.orchard.monthly","productId":"org.example.orchard.yearly",
        "autoRenewStatus":1,"isInBillingRetryPeriod":true,"priceIncreaseStatus":0,
        "gracePeriodExpiresDate":1696300000222,"offerType":2,"offerIdentifier":"stay-a-while",
        "offerDiscountType":"PAY_AS_YOU_GO","offerPeriod":"P2W","eligibleWinBackOfferIds":["come-back"],
        "signedDate":1695555100999,"environment":"Xcode","recentSubscriptionStartDate":1659460000444,
        "renewalDate":1722600012678,"renewalPrice":14900,"currency":"NOK","appTransactionId":"704400550066007700",
        "appAccountToken":"c0a3b1d2-94e5-4f67-8a9b-2d41e6f07c58","renewalBillingPlanType":"MONTHLY",
        "commitmentInfo":{"commitmentAutoRenewProductId":"org.example.orchard.plan","commitmentAutoRenewStatus":0,
        "commitmentRenewalBillingPlanType":"MONTHLY","commitmentRenewalDate":1722600013000,
        "commitmentRenewalPrice":15900},
        "advancedCommerceInfo":{"consistencyToken":"orchard-consistent",
        "descriptors":{"description":"Seeds by post","displayName":"Seeds"},
        "items":[{"SKU":"orchard.pear","description":"Pear seeds","displayName":"Pears","price":7450,
        "priceIncreaseInfo":{"dependentSKUs":["orchard.plum"],"price":8450,"status":"SCHEDULED"}}],
        "period":"P1Y","requestReferenceId":"orchard-814","taxCode":"FRUIT-8"}
        """#

    /// The members of an app transaction of an app that was ordered before it was out.
    static let appTransactionMembers = #"""
        "receiptType":"Xcode","appAppleId":6409876543,"bundleId":"org.example.orchard","applicationVersion":"40.7",
        "versionExternalIdentifier":880011,"receiptCreationDate":1694000000555,"originalPurchaseDate":1650000000666,
        "originalApplicationVersion":"12.0","deviceVerification":"bWFkZSB1cA==",
        "deviceVerificationNonce":"2b9e4d06-c718-45fa-93d0-7ae15f8c6b34","preorderDate":1649000000444,
        "appTransactionId":"704400550066007700","originalPlatform":"tvOS"
        """#
}
