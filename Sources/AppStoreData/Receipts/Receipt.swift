package import AdAttribution

/// What a receipt of an app says: the app, the device and the purchases.
///
/// Only a `VerifiedReceipt` has one whose signature was checked. Moments are in milliseconds since 1970.
package struct Receipt: Sendable, Equatable {
    /// Which of Apple's servers made it, such as `Production` and `ProductionSandbox`.
    package let type: String
    /// The app.
    package let bundleID: String
    /// The app's version (`CFBundleVersion` in iOS).
    package let appVersion: String
    /// The version that was bought first; nil in receipts of Xcode.
    package let originalAppVersion: String?
    /// When the receipt was made.
    package let createdAt: Int64
    /// When a receipt of a volume purchase ends; nil for others.
    package let expiresAt: Int64?
    /// Bytes that go into the hash.
    package let opaqueValue: [UInt8]
    /// The SHA-1 that binds the receipt to a device.
    package let hash: [UInt8]
    /// The purchases in their order.
    package let purchases: [ReceiptPurchase]
    /// The types of attributes that are not read here.
    package let otherTypes: [Int64]
    /// The bundle id with its tag and length, as it goes into the hash.
    private let bundleIDValue: [UInt8]

    /// Reads what is signed in a receipt.
    ///
    /// - Throws: `ReceiptRejection`, always as malformed.
    package init(content: [UInt8]) throws(ReceiptRejection) {
        let attributes = try ReceiptAttributes(content[...], repeating: .purchase)
        type = try attributes.required(try attributes.text(.receiptType), .receiptType)
        bundleID = try attributes.required(try attributes.text(.bundleID), .bundleID)
        bundleIDValue = Array(try attributes.bytes(.bundleID) ?? [])
        appVersion = try attributes.required(try attributes.text(.appVersion), .appVersion)
        originalAppVersion = try attributes.text(.originalAppVersion)
        createdAt = try attributes.required(try attributes.date(.createdAt), .createdAt)
        expiresAt = try attributes.date(.expiresAt)
        opaqueValue = Array(try attributes.required(try attributes.bytes(.opaqueValue), .opaqueValue))
        hash = Array(try attributes.required(try attributes.bytes(.hash), .hash))
        var purchases: [ReceiptPurchase] = []
        for value in attributes.repeated {
            purchases.append(try ReceiptPurchase(value, number: purchases.count + 1))
        }
        self.purchases = purchases
        otherTypes = attributes.others
    }

    /// Where its purchases were made, by the type; nil if Apple's servers have no such type.
    package var environment: AttributionEnvironment? {
        switch type {
        case "Production", "ProductionVPP": .production
        case "ProductionSandbox", "ProductionVPPSandbox": .development
        default: nil
        }
    }

    /// What is hashed for a device: its id, the opaque value and the bundle id.
    func hashed(for deviceID: [UInt8]) -> [UInt8] { deviceID + opaqueValue + bundleIDValue }
}
