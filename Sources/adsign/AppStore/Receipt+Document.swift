import AppStoreData
import Encodings
import Foundation
import StrictJSON

extension Receipt {
    /// What the receipt says, with the names that Apple's `verifyReceipt` gave it.
    var document: JSONDocument {
        .members([
            ("receipt_type", .string(type)), ("bundle_id", .string(bundleID)),
            ("application_version", .string(appVersion)),
            ("original_application_version", originalAppVersion.map(JSONDocument.string)),
            ("receipt_creation_date", .moment(createdAt)), ("expiration_date", expiresAt.map(JSONDocument.moment)),
            ("opaque_value", .string(Hexadecimal.text(opaqueValue))), ("sha1_hash", .string(Hexadecimal.text(hash))),
            ("in_app", .array(purchases.map(\.document))), ("other_types", .numbers(otherTypes)),
        ])
    }
}

extension ReceiptPurchase {
    fileprivate var document: JSONDocument {
        .members([
            ("quantity", .integer(quantity)), ("product_id", .string(productID)),
            ("transaction_id", .string(transactionID)), ("purchase_date", .moment(purchasedAt)),
            ("original_transaction_id", originalTransactionID.map(JSONDocument.string)),
            ("original_purchase_date", originallyPurchasedAt.map(JSONDocument.moment)),
            ("expires_date", expiresAt.map(JSONDocument.moment)),
            ("web_order_line_item_id", webOrderLineItemID.map(JSONDocument.integer)),
            ("cancellation_date", cancelledAt.map(JSONDocument.moment)),
            ("is_in_intro_offer_period", isIntroductoryPrice.map(JSONDocument.boolean)),
            ("other_types", .numbers(otherTypes)),
        ])
    }
}

extension JSONDocument {
    /// An object without the members that are nil.
    fileprivate static func members(_ members: [(name: String, value: JSONDocument?)]) -> JSONDocument {
        .object(members.compactMap { member in member.value.map { (name: member.name, value: $0) } })
    }

    /// A moment out of milliseconds since 1970.
    fileprivate static func moment(_ milliseconds: Int64) -> JSONDocument {
        .string(Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601))
    }

    fileprivate static func numbers(_ numbers: [Int64]) -> JSONDocument {
        .array(numbers.map(JSONDocument.integer))
    }
}
