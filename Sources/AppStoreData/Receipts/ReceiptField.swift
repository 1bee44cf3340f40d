/// The attributes of a receipt, and of a purchase in it, that are read.
///
/// Source: Apple, "Receipt Validation Programming Guide", "Receipt Fields"; the receipt's type is not in its list.
enum ReceiptField: Int64 {
    case receiptType = 0
    case bundleID = 2
    case appVersion = 3
    case opaqueValue = 4
    case hash = 5
    case createdAt = 12
    case purchase = 17
    case originalAppVersion = 19
    case expiresAt = 21

    case quantity = 1701
    case productID = 1702
    case transactionID = 1703
    case purchasedAt = 1704
    case originalTransactionID = 1705
    case originallyPurchasedAt = 1706
    case subscriptionExpiresAt = 1708
    case webOrderLineItemID = 1711
    case cancelledAt = 1712
    case isIntroductoryPrice = 1719
}
