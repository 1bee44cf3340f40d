/// Why something of the App Store was refused.
package struct SignedDataError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of refusals, with their names in answers, tables and metrics.
    package enum Reason: String, Sendable, CaseIterable {
        /// Not what Apple sends, in form or in a value.
        case malformed
        /// Certificates that do not lead to a trusted root, or lack Apple's marks.
        case untrustedChain = "untrusted_chain"
        /// A signature that the certificate's key did not make.
        case invalidSignature = "invalid_signature"
        /// An app that this installation does not take events of.
        case unknownApp = "unknown_app"
        /// Parts of two environments, or of one that its root can't vouch for.
        case wrongEnvironment = "wrong_environment"
        /// A notification V1 without the secret of its app.
        case wrongSecret = "wrong_secret"
        /// More bytes than are taken.
        case tooLarge = "too_large"
    }

    /// The kind.
    package let reason: Reason
    /// The field that broke the rule, under Apple's name.
    package let field: String
    /// The rule, as "must be …" or another whole clause about the field.
    package let rule: String
    /// The notification, if it is genuine and was refused for another reason.
    package let genuineNotification: GenuineNotification?

    /// Takes all parts; a value from outside in the rule must be quoted and cut.
    package init(_ reason: Reason, field: String, rule: String, genuineNotification: GenuineNotification? = nil) {
        self.reason = reason
        self.field = field
        self.rule = rule
        self.genuineNotification = genuineNotification
    }

    /// The same about a notification that may be genuine.
    func of(_ notification: GenuineNotification?) -> SignedDataError {
        SignedDataError(reason, field: field, rule: rule, genuineNotification: notification)
    }

    /// Field and rule in one line.
    package var description: String { "\(field): \(rule)" }
}
