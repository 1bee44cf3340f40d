import Foundation

@testable import AppStoreData

/// A payload which can be changed, and is signed under a root of tests.
///
/// What has to be signed inside of it is signed with it.
struct SignedModel {
    /// A time at which all models are signed already, in milliseconds since 1970.
    static let now: Int64 = 1_700_000_000_000
    /// The app.
    static let bundleID = "org.example.orchard"
    /// The secret of the app in notifications V1.
    static let secret = "3b1e6f0c9d8a4c7bb2f5a1d0e9c84f76"

    /// The members.
    var members: [String: Any]
    /// What is signed inside of a notification.
    private var inside: [String: [String: Any]] = [:]
    /// Who signs what is inside; nil for who signs the rest.
    var insideSigner: StoreSigner?

    private static let signers = Result {
        (
            try StoreSigner.make(validFrom: 1_600_000_000, validTo: 2_000_000_000),
            stranger: try StoreSigner.make(validFrom: 1_600_000_000, validTo: 2_000_000_000)
        )
    }

    /// Who signs, and whose root is trusted.
    static func signer() throws -> StoreSigner { try signers.get().0 }

    /// Somebody else.
    static func stranger() throws -> StoreSigner { try signers.get().stranger }

    /// A verifier that trusts the signer, and takes events of one app.
    static func verifier(bundleID: String = SignedModel.bundleID, appID: Int64? = nil) throws -> SignedDataVerifier {
        SignedDataVerifier(
            trust: StoreTrust(
                apps: [StoreApp(bundleID: bundleID, appID: appID), StoreApp(bundleID: "org.example.free", appID: nil)],
                sharedSecrets: [SharedSecret(bundleID: bundleID, secret: Array(secret.utf8))],
                testRoots: [try signer().root], accountKey: nil))
    }

    /// Takes a payload, and what belongs inside of it.
    ///
    /// - Parameter read: Gives the members of a payload; those of the tests if it is left out.
    init(_ payload: StorePayload, read: (StorePayload) throws -> [String: Any] = { try $0.members() }) throws {
        members = try read(payload)
        guard StorePayload.notifications.contains(payload) else { return }
        inside = [
            "signedTransactionInfo": try read(.transaction),
            "signedRenewalInfo": try read(.renewalInfo),
            "signedAppTransactionInfo": try read(.appTransaction),
        ]
    }

    /// The member of the part that names the app.
    subscript(part name: String) -> Any? {
        get { (members[part] as? [String: Any])?[name] }
        set {
            var changed = members[part] as? [String: Any] ?? [:]
            changed[name] = newValue
            members[part] = changed
        }
    }

    /// A member of something that is signed inside of it.
    subscript(inside kind: String, name: String) -> Any? {
        get { inside[kind]?[name] }
        set { inside[kind]?[name] = newValue }
    }

    private var part: String {
        ["data", "summary", "externalPurchaseToken", "appData"].first { members[$0] != nil } ?? "data"
    }

    /// The signed data.
    func jws() throws -> [UInt8] {
        var model = self
        for (kind, members) in inside where self[part: kind] is String {
            let jws = try (insideSigner ?? Self.signer()).sign(Self.json(members))
            model[part: kind] = String(decoding: jws, as: UTF8.self)
        }
        return try Self.signer().sign(Self.json(model.members))
    }

    /// The payload, verified.
    func verified() throws -> VerifiedPayload {
        try Self.verifier().verify(jws(), now: Self.now)
    }

    /// The body of a notification.
    func body() throws -> [UInt8] {
        Array(#"{"signedPayload":""#.utf8) + (try jws()) + Array(#""}"#.utf8)
    }

    /// The notification, as an installation reads it.
    func notification(_ verifier: SignedDataVerifier? = nil) throws -> StoreNotification {
        try StoreNotification(body: body(), by: verifier ?? Self.verifier(), now: Self.now)
    }

    /// Why the installation refuses it.
    func refusal(_ verifier: SignedDataVerifier? = nil) throws -> SignedDataError? {
        try Self.refusal(of: body(), verifier)
    }

    /// Why the installation refuses a body.
    static func refusal(of body: [UInt8], _ verifier: SignedDataVerifier? = nil) throws -> SignedDataError? {
        let verifier = try verifier ?? Self.verifier()
        do throws(SignedDataError) {
            _ = try StoreNotification(body: body, by: verifier, now: now)
            return nil
        } catch {
            return error
        }
    }

    /// An object as JSON.
    static func json(_ object: [String: Any]) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]))
    }
}
