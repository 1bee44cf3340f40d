/// What a transaction brought and what of it was given back, in milliunits of its currency, in exact integers.
///
/// The functions `store_gross` and `store_refunded` of the database say the same.
package enum StoreAmounts {
    /// All of an amount, in thousandths of a percent.
    private static let whole: Int64 = 100_000

    /// What was paid; nil if the price is not known.
    ///
    /// The price is that of all pieces, so it is not multiplied: Apple says that it "shows the total amount of the
    /// transaction for the quantity the customer purchased". Nobody pays for the copy of a family member or for a free
    /// trial.
    /// Source: developer.apple.com/documentation/appstoreservernotifications/price
    package static func gross(
        price: Int64?, ownership: String?, offerDiscountType: String?, isTrial: Bool?
    ) -> Int64? {
        guard ownership != "FAMILY_SHARED", offerDiscountType != "FREE_TRIAL", isTrial != true else { return 0 }
        return price
    }

    /// What was given back; nil if what was paid is not known.
    ///
    /// A revoked transaction without a percentage was refunded in full. One that is not revoked, or no longer, was not
    /// refunded. A half is rounded away from zero, as `round(numeric)` of PostgreSQL does.
    package static func refunded(gross: Int64?, revokedAt: Int64?, revocationPercentage: Int64?) -> Int64? {
        guard let gross else { return nil }
        guard revokedAt != nil else { return 0 }
        let percentage = min(max(revocationPercentage ?? whole, 0), whole)
        // In two parts, so that no product overflows.
        let (quotient, rest) = gross.quotientAndRemainder(dividingBy: whole)
        let part = rest * percentage
        return quotient * percentage + (part + (part < 0 ? -whole / 2 : whole / 2)) / whole
    }
}

extension StoreTransaction {
    /// What was paid, in milliunits of the currency; nil if the price is not known.
    ///
    /// A price that is in no currency is none, as in the view `store_transactions`.
    package var gross: Int64? {
        StoreAmounts.gross(
            price: currency == nil ? nil : price, ownership: ownership, offerDiscountType: offerDiscountType,
            isTrial: isTrial)
    }

    /// What of it was given back, in milliunits; nil if the price is not known.
    package var refunded: Int64? {
        StoreAmounts.refunded(gross: gross, revokedAt: revokedAt, revocationPercentage: revocationPercentage)
    }

    /// What is left, in milliunits; nil if the price is not known.
    package var net: Int64? {
        guard let gross, let refunded else { return nil }
        return gross - refunded
    }
}
