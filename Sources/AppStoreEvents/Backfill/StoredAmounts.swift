package import AppStoreData

/// What is stored of a transaction, as far as Apple's history is compared with it.
package struct StoredAmounts: Sendable, Equatable {
    /// When Apple signed what is stored, in milliseconds since 1970; nil if that was a notification V1.
    package let signedAt: Int64?
    /// Milliunits of the currency.
    package let price: Int64?
    /// The currency.
    package let currency: String?
    /// The quantity.
    package let quantity: Int64?
    /// When it was refunded or revoked, in milliseconds since 1970.
    package let revokedAt: Int64?
    /// Thousandths of a per cent that were refunded.
    package let revocationPercentage: Int64?

    /// Takes all six.
    package init(
        signedAt: Int64?, price: Int64?, currency: String?, quantity: Int64?, revokedAt: Int64?,
        revocationPercentage: Int64?
    ) {
        self.signedAt = signedAt
        self.price = price
        self.currency = currency
        self.quantity = quantity
        self.revokedAt = revokedAt
        self.revocationPercentage = revocationPercentage
    }

    /// The amounts of a transaction.
    package init(_ transaction: StoreTransaction) {
        self.init(
            signedAt: transaction.signedAt, price: transaction.price, currency: transaction.currency,
            quantity: transaction.quantity, revokedAt: transaction.revokedAt,
            revocationPercentage: transaction.revocationPercentage)
    }

    /// What is wrong if this is stored and Apple's history has a transaction; nil if nothing is.
    ///
    /// What Apple signed later may have other amounts.
    package func difference(from transaction: StoreTransaction) -> String? {
        guard let offered = transaction.signedAt else { return nil }
        guard let signedAt else { return "stored without signed data" }
        if signedAt > offered { return nil }
        if signedAt < offered { return "stored as Apple signed it at \(signedAt), in the history at \(offered)" }
        let theirs = StoredAmounts(transaction)
        guard self != theirs else { return nil }
        return "stored \(amounts), in the history \(theirs.amounts)"
    }

    private var amounts: String {
        func text(_ number: Int64?) -> String { number.map(String.init) ?? "none" }
        return "price \(text(price)) \(currency ?? "-"), quantity \(text(quantity)), revoked at \(text(revokedAt)), "
            + "percentage \(text(revocationPercentage))"
    }
}
