import AdAttribution
import AppStoreData
import Foundation

/// A notification of the App Store as it comes in from anybody, and what is kept of it.
///
/// If the input has three line feeds, its lines are payloads: that of a notification, and those that stand for `$T`,
/// `$R` and `$A` in it. They are signed under a root of tests. So the fuzzer reaches what is inside without a key.
package struct NotificationTarget: FuzzTarget {
    package static let name = "notification"

    /// Later than every time of the corpus.
    private static let now: Int64 = 1_800_000_000_000
    /// The app of the corpus.
    private static let bundleID = "org.example.orchard"
    /// The secret in the corpus, which is used for nothing else.
    private static let secret = Array("0123456789abcdef-for-fuzzing".utf8)

    private let signer: StoreSigner
    private let verifier: SignedDataVerifier

    package init() throws {
        signer = try StoreSigner.make(validFrom: 0, validTo: 4_000_000_000)
        verifier = SignedDataVerifier(
            trust: StoreTrust(
                apps: [StoreApp(bundleID: Self.bundleID, appID: 1_234)],
                sharedSecrets: [SharedSecret(bundleID: Self.bundleID, secret: Self.secret)],
                testRoots: [signer.root], accountKey: nil))
    }

    package func check(_ input: [UInt8]) throws {
        let parts = input.split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 4 else { return try check(body: input, payload: nil) }
        var payload = parts[0]
        for (mark, part) in zip(["$T", "$R", "$A"], parts.dropFirst()) {
            payload = payload.replacing(Array(mark.utf8), with: try signer.sign(part))
        }
        let body = Array(#"{"signedPayload":""#.utf8) + (try signer.sign(payload)) + Array(#""}"#.utf8)
        try check(body: body, payload: payload)
    }

    /// Reads a body.
    ///
    /// - Parameter payload: What was signed; nil if nothing was.
    private func check(body: [UInt8], payload: [UInt8]?) throws {
        let kept = StoreNotification.withoutSecret(body)
        let isSecretAlone = Self.isSecretAlone(in: body)
        try expect(!isSecretAlone || Self.secrets(in: kept) == 0, "the secret is kept")
        try expect(StoreNotification.withoutSecret(kept) == kept, "what is kept changes once more")
        let notification: StoreNotification
        do throws(SignedDataError) {
            notification = try StoreNotification(body: body, by: verifier, now: Self.now)
        } catch {
            try expect(!error.field.isEmpty && !error.rule.isEmpty, "a refusal without field or rule")
            try Readable.check(error.description, limit: 1_000)
            let shown = Array(error.description.utf8)
            return try expect(!isSecretAlone || Self.secrets(in: shown) == 0, "a refusal shows the secret")
        }
        try expect(notification.id.count == 16, "an id of \(notification.id.count) bytes")
        try expect(notification.bundleID == Self.bundleID, "another app")
        try expect((1...64).contains(notification.type.unicodeScalars.count), "a type that does not fit")
        try expect(notification.unknownMembers.count <= 16, "too many names are kept")
        for transaction in notification.transactions { try Self.check(transaction, notification) }
        switch notification.version {
        case .v1: try Self.checkV1(notification, body, kept)
        case .v2: try Self.checkV2(notification, payload)
        }
    }

    /// Whether another parser finds the secret as the password, and it stands nowhere else.
    private static func isSecretAlone(in body: [UInt8]) -> Bool {
        guard let object = OtherParser.read(body) as? [String: Any], let password = object["password"] as? String,
            password.utf8.elementsEqual(secret)
        else { return false }
        return secrets(in: body) == 1
    }

    /// How often the secret stands in some bytes.
    private static func secrets(in bytes: [UInt8]) -> Int {
        bytes.indices.count { bytes[$0...].starts(with: secret) }
    }

    private static func check(_ transaction: StoreTransaction, _ notification: StoreNotification) throws {
        try expect(transaction.environment == notification.environment, "a transaction of another environment")
        try expect(transaction.bundleID == Self.bundleID, "a transaction of another app")
        for text in [transaction.transactionID, transaction.originalTransactionID, transaction.productID] {
            try Readable.check(text, limit: 1_020)
        }
        guard let gross = transaction.gross, let refunded = transaction.refunded, let net = transaction.net else {
            return try expect(
                transaction.price == nil || transaction.currency == nil, "a price in a currency without an amount")
        }
        try expect(0 <= refunded && refunded <= gross && net == gross - refunded, "amounts that do not fit together")
    }

    /// Only the value of the secret differs in what is kept, and there is no price.
    private static func checkV1(_ notification: StoreNotification, _ body: [UInt8], _ kept: [UInt8]) throws {
        let (before, after) = (try OtherParser(body), try OtherParser(kept))
        try expect(before.text("password").map { Array($0.utf8) } == secret, "another secret is taken")
        try expect(after.text("password") == "removed", "no secret was removed")
        try expect(before.text("notification_type") == notification.type, "another type")
        try expect(Set(before.object.keys) == Set(after.object.keys), "other members are kept")
        try expect(notification.signedAt == nil, "a time of signing in V1")
        try expect(notification.transactions.allSatisfy { $0.price == nil && $0.signedAt == nil }, "a price in V1")
    }

    /// What is accepted was signed here, and another parser reads the same.
    private static func checkV2(_ notification: StoreNotification, _ payload: [UInt8]?) throws {
        guard let payload else { throw Finding("a notification verifies that nobody signed") }
        let other = try OtherParser(payload)
        try expect(notification.environment == .test, "what a test root signed counts as \(notification.environment)")
        try expect(other.text("notificationType") == notification.type, "another type")
        let signedAt = other.integer("signedDate") ?? other.integer("receiptCreationDate")
        try expect(signedAt == notification.signedAt, "another time of signing")
        let id = other.text("notificationUUID").flatMap { UUID(uuidString: $0) }
        try expect(id.map { withUnsafeBytes(of: $0.uuid) { Array($0) } } == notification.id, "another id")
        try expect(notification.transactions.count <= 1 && notification.renewals.count <= 1, "too many transactions")
    }
}
