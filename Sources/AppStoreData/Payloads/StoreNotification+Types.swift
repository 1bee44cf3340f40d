extension StoreNotification {
    /// Whether the type is one that Apple had documented when this version of the program was made.
    package var isKnownType: Bool { (version == .v1 ? Self.typesOfV1 : Self.typesOfV2).contains(type) }

    /// Whether it is a refund of version 1 whose transaction is not listed in it, so that nothing can be counted.
    ///
    /// Version 1 lists the latest hundred transactions of a customer.
    ///
    /// - Parameter original: The original transaction that the body states; nil if it states none.
    static func isUnlistedRefund(
        _ version: Version, type: String, of original: String?, in transactions: [StoreTransaction]
    ) -> Bool {
        guard version == .v1, type == "REFUND" || type == "CANCEL" else { return false }
        return !transactions.contains {
            $0.revokedAt != nil && (original == nil || $0.originalTransactionID == original)
        }
    }

    /// Source: Apple, `notificationType` of App Store Server Notifications V2.
    private static let typesOfV2: Set<String> = [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "DID_RENEW",
        "EXPIRED", "EXTERNAL_PURCHASE_TOKEN", "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATE", "MIGRATION",
        "OFFER_REDEEMED", "ONE_TIME_CHARGE", "PRICE_CHANGE", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED",
        "REFUND_REVERSED", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "RESCIND_CONSENT", "REVOKE", "SUBSCRIBED", "TEST",
    ]

    /// Source: Apple, `notification_type` of V1.
    private static let typesOfV1: Set<String> = [
        "CANCEL", "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW",
        "DID_RECOVER", "DID_RENEW", "INITIAL_BUY", "INTERACTIVE_RENEWAL", "PRICE_INCREASE_CONSENT", "REFUND", "RENEWAL",
        "REVOKE",
    ]
}
