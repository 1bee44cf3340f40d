package import AdAttribution

/// A receipt that was verified.
///
/// Only `ReceiptVerifier` makes one.
package struct VerifiedReceipt: Sendable {
    /// What it says.
    package let receipt: Receipt
    /// Where its purchases were made; `test` if a test root stands behind the signature.
    package let environment: AttributionEnvironment

    init(_ receipt: Receipt, environment: AttributionEnvironment) {
        self.receipt = receipt
        self.environment = environment
    }
}
