/// A purchase in a receipt.
///
/// Moments are in milliseconds since 1970.
package struct ReceiptPurchase: Sendable, Equatable {
    /// How many were bought; 1 if the receipt does not say it.
    package let quantity: Int64
    /// The product.
    package let productID: String
    /// The transaction; Xcode gives them small numbers.
    package let transactionID: String
    /// When it was bought, or renewed.
    package let purchasedAt: Int64
    /// The first transaction of a subscription, or what was restored.
    package let originalTransactionID: String?
    /// When that was.
    package let originallyPurchasedAt: Int64?
    /// When the subscription ends, or is renewed.
    package let expiresAt: Int64?
    /// Apple's number of the subscription's period.
    package let webOrderLineItemID: Int64?
    /// When Apple gave the money back.
    package let cancelledAt: Int64?
    /// Whether the price was introductory; nil if the receipt does not say it.
    package let isIntroductoryPrice: Bool?
    /// The types of attributes that are not read here.
    package let otherTypes: [Int64]

    /// Reads the value of an attribute.
    ///
    /// - Parameter number: Which purchase of the receipt it is, from 1.
    init(_ bytes: ArraySlice<UInt8>, number: Int) throws(ReceiptRejection) {
        let attributes = try ReceiptAttributes(bytes, place: " of purchase \(number)")
        quantity = try attributes.integer(.quantity) ?? 1
        productID = try attributes.required(try attributes.text(.productID), .productID)
        transactionID = try attributes.required(try attributes.text(.transactionID), .transactionID)
        purchasedAt = try attributes.required(try attributes.date(.purchasedAt), .purchasedAt)
        originalTransactionID = try attributes.text(.originalTransactionID)
        originallyPurchasedAt = try attributes.date(.originallyPurchasedAt)
        expiresAt = try attributes.date(.subscriptionExpiresAt)
        webOrderLineItemID = try attributes.integer(.webOrderLineItemID)
        cancelledAt = try attributes.date(.cancelledAt)
        isIntroductoryPrice = try attributes.integer(.isIntroductoryPrice).map { $0 != 0 }
        otherTypes = attributes.others
    }
}
