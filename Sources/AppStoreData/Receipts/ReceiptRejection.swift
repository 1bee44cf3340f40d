/// Why a receipt is refused.
package struct ReceiptRejection: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of refusals.
    package enum Reason: String, Sendable, CaseIterable {
        /// Not a receipt.
        case malformed
        /// More bytes than are read.
        case tooLarge = "too_large"
        /// The signature is not the signer's over the content.
        case invalidSignature = "invalid_signature"
        /// The signer is nobody whom Apple or a test root lets sign receipts.
        case untrustedChain = "untrusted_chain"
        /// A transaction is later than the end of the signer's certificate.
        case certificateExpired = "certificate_expired"
        /// A type of receipt that Apple's servers do not make.
        case wrongEnvironment = "wrong_environment"
        /// The receipt of another app.
        case unknownApp = "unknown_app"
        /// The receipt of another device.
        case wrongDevice = "wrong_device"
    }

    /// The kind.
    package let reason: Reason
    /// What broke the rule, such as `type 12`.
    package let field: String
    /// The rule, as "must be …".
    package let rule: String

    init(_ reason: Reason, field: String, rule: String) {
        self.reason = reason
        self.field = field
        self.rule = rule
    }

    /// Field and rule.
    package var description: String { "\(field): \(rule)" }
}
