package import AdAttribution
import Encodings
import StrictJSON

/// A notification of the App Store that was checked: V2 by its signature, V1 by the shared secret of its app.
///
/// Unknown types, subtypes and members are no reason to refuse one.
/// Sources: Apple, `responseBodyV2DecodedPayload` and `responseBodyV1`.
package struct StoreNotification: Sendable {
    /// The two versions of notifications.
    package enum Version: Int16, Sendable {
        /// Plain JSON with a secret.
        case v1 = 1
        /// Signed JSON.
        case v2 = 2
    }

    /// The greatest number of bytes of a body of V2.
    package static let maximumV2Bytes = 64 * 1_024
    /// The greatest number of bytes of a body of V1, which carries a hundred transactions and a receipt.
    package static let maximumV1Bytes = 1_024 * 1_024

    /// Its version.
    package let version: Version
    /// 16 bytes that are the same whenever Apple sends it again.
    ///
    /// In V2 `notificationUUID`; in V1, which has no id, a part of the SHA-256 of the body without the secret.
    package let id: [UInt8]
    /// What happened, as Apple calls it.
    package let type: String
    /// More of what happened; nil for V1.
    package let subtype: String?
    /// Where it counts.
    package let environment: AttributionEnvironment
    /// The app, which is one of the installation.
    package let bundleID: String?
    /// The App Store's number of the app; nil for V1.
    package let appID: Int64?
    /// The subscription or purchase that it is about, if it names one.
    package let originalTransactionID: String?
    /// When Apple signed it, in milliseconds since 1970; nil for V1.
    package let signedAt: Int64?
    /// The status of the subscription: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
    package let status: Int64?
    /// The transactions in it: at most one in V2.
    package let transactions: [StoreTransaction]
    /// The renewals in it: at most one in V2.
    package let renewals: [StoreRenewal]
    /// The app transaction in it, if the notification is about the app.
    package let appTransaction: AppTransaction?
    /// The members that this version of the program does not know, each once, at most 16.
    package let unknownMembers: [String]
    /// Whether it is a refund of version 1 without the refunded transaction, so that it counts nothing.
    package let lacksRefund: Bool
    /// When the renewal was turned on or off, in milliseconds since 1970, if V1 tells of that; nil otherwise.
    package let renewalChangedAt: Int64?
    /// The bytes that are kept of it.
    ///
    /// Of V2 it is the signed payload alone, since nobody signed what stands beside it. Of V1 it is the body without the
    /// secret.
    package let kept: [UInt8]

    /// The same as a genuine notification; nil for one of tests.
    package var genuine: GenuineNotification? {
        environment == .test ? nil : GenuineNotification(id: id, kept: kept)
    }

    /// Reads a body: one with `signedPayload` is V2, one with `notification_type` is V1.
    ///
    /// The signature or the secret is checked before the rest, so that a refusal tells whether the notification is
    /// genuine.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Throws: The first rule that was broken. No value of a secret is in it.
    package init(body: [UInt8], by verifier: SignedDataVerifier, now: Int64) throws(SignedDataError) {
        let object = try Self.object(body, most: Self.maximumV1Bytes)
        if object.has("signedPayload") {
            try Self.checkSize(body, most: Self.maximumV2Bytes)
            try self.init(signed: object, by: verifier, now: now)
        } else if object.has("notification_type") {
            try self.init(plain: object, body, by: verifier)
        } else {
            throw SignedDataError(
                .malformed, field: "signedPayload", rule: "is missing, and so is notification_type")
        }
    }

    /// Takes all members.
    init(
        version: Version, id: [UInt8], type: String, subtype: String?, environment: AttributionEnvironment,
        bundleID: String, appID: Int64?, originalTransactionID: String?, signedAt: Int64?, status: Int64?,
        transactions: [StoreTransaction], renewals: [StoreRenewal], appTransaction: AppTransaction?,
        unknownMembers: [String], kept: [UInt8], renewalChangedAt: Int64? = nil
    ) {
        self.kept = kept
        self.renewalChangedAt = renewalChangedAt
        self.version = version
        self.id = id
        self.type = type
        self.subtype = subtype
        self.environment = environment
        self.bundleID = bundleID
        self.appID = appID
        self.originalTransactionID =
            originalTransactionID ?? transactions.first?.originalTransactionID
            ?? renewals.first?.originalTransactionID
        self.signedAt = signedAt
        self.status = status
        // What the body itself states, since the first transaction of the list may be of another purchase.
        lacksRefund = Self.isUnlistedRefund(version, type: type, of: originalTransactionID, in: transactions)
        self.transactions = transactions
        self.renewals = renewals
        self.appTransaction = appTransaction
        self.unknownMembers = Array(Set(unknownMembers).sorted().prefix(16))
    }

    /// The body of a request without the shared secret, so that it can be kept.
    ///
    /// It takes any bytes. In JSON the value of each member `password` becomes `"removed"`, and so does a text that is
    /// JSON with such a member. Other bytes end behind the first `password` in them.
    package static func withoutSecret(_ body: [UInt8]) -> [UInt8] {
        SecretRemoval.removing(from: body)
    }

    private static func object(_ body: [UInt8], most: Int) throws(SignedDataError) -> PayloadObject {
        try checkSize(body, most: most)
        return try PayloadObject(body)
    }

    private static func checkSize(_ body: [UInt8], most: Int) throws(SignedDataError) {
        guard body.count <= most else {
            throw SignedDataError(.tooLarge, field: "body", rule: "must have at most \(most) bytes")
        }
    }
}

extension StoreTrust {
    /// The app of a bundle id, compared by bytes.
    ///
    /// - Parameter name: The member that names it.
    func app(_ bundleID: String?, _ name: String) throws(SignedDataError) -> StoreApp {
        guard let bundleID else { throw SignedDataError(.unknownApp, field: name, rule: "is missing") }
        guard let app = apps[bundleID], app.bundleID.utf8.elementsEqual(bundleID.utf8) else {
            throw SignedDataError(
                .unknownApp, field: name,
                rule: "must be an app of the key ring, not \(JSONText.quoted(bundleID.prefix(bytes: 80)))")
        }
        return app
    }
}
