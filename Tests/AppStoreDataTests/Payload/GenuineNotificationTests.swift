import TestSupport
import Testing

@testable import AppStoreData

/// Which of the notifications that are refused are known to be genuine.
@Suite("Genuine notifications that are refused")
struct GenuineNotificationTests {
    /// Takes a root for Apple's, and knows some apps.
    private func verifier(root: StoreSigner, apps: [String] = []) -> SignedDataVerifier {
        SignedDataVerifier(
            trust: StoreTrust(
                apps: apps.map { StoreApp(bundleID: $0, appID: nil) }, sharedSecrets: [], testRoots: [],
                accountKey: nil),
            appleRoots: [root.root])
    }

    private func jws(of body: [UInt8]) -> [Substring] {
        String(decoding: body, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
    }

    @Test("A refusal says that Apple signed the notification, whatever it was refused for, and what was signed")
    func signed() throws {
        let signer = try SignedModel.signer()
        let model = try SignedModel(.notification)
        let id = try model.notification().id
        let body = try model.body()
        let unknown = try #require(try SignedModel.refusal(of: body, verifier(root: signer)))
        #expect(unknown.reason == .unknownApp)
        #expect(unknown.genuineNotification == GenuineNotification(id: id, kept: body))
        // Nobody signed what stands beside it.
        let more = body.dropLast() + Array(#","bid":"com.example.other"}"#.utf8)
        #expect(try SignedModel.refusal(of: Array(more), verifier(root: signer)) == unknown)
        let known = verifier(root: signer, apps: [SignedModel.bundleID])
        var wrong = model
        wrong[part: "status"] = -1
        let malformed = try #require(try wrong.refusal(known))
        #expect(malformed.reason == .malformed)
        #expect(malformed.genuineNotification?.id == id)
        var inside = model
        inside.insideSigner = try SignedModel.stranger()
        let untrusted = try #require(try inside.refusal(known))
        #expect(untrusted.reason == .untrustedChain)
        #expect(untrusted.genuineNotification?.id == id)
    }

    @Test("What Apple has not signed is not genuine, and neither is what a test root signed or what is no notification")
    func notSigned() throws {
        let signer = try SignedModel.signer()
        let model = try SignedModel(.notification)
        let body = try model.body()
        var other = model
        other.members["notificationUUID"] = "5f0c1d92-3b7e-4a64-9c21-8e40d7b6a35f"
        let (parts, others) = (jws(of: body), jws(of: try other.body()))
        try #require(parts.count == 3 && others.count == 3)
        let forged = Array([parts[0], others[1], parts[2]].joined(separator: ".").utf8)
        let transaction = try SignedModel(.transaction).body()
        let apple = verifier(root: signer)
        let cases: [(body: [UInt8], verifier: SignedDataVerifier, reason: SignedDataError.Reason)] = [
            (forged, apple, .invalidSignature),
            (body, verifier(root: try SignedModel.stranger()), .untrustedChain),
            (body, try SignedModel.verifier(bundleID: "org.example.other"), .unknownApp),
            (transaction, apple, .unknownApp),
        ]
        for (body, verifier, reason) in cases {
            let refusal = try #require(try SignedModel.refusal(of: body, verifier))
            #expect(refusal.reason == reason)
            #expect(refusal.genuineNotification == nil)
        }
        // The same of one that is taken, but then not stored.
        #expect(try model.notification().genuine == nil)
        var sandbox = model
        sandbox[part: "environment"] = "Sandbox"
        for kind in ["signedTransactionInfo", "signedRenewalInfo"] { sandbox[inside: kind, "environment"] = "Sandbox" }
        let taken = try sandbox.notification(verifier(root: signer, apps: [SignedModel.bundleID]))
        #expect(taken.genuine == GenuineNotification(id: taken.id, kept: taken.kept))
    }

    @Test("A notification of version 1 is genuine if it had the secret of its app")
    func secret() throws {
        let verifier = try TestAppStore().verifier
        let price = #","price":"4.99""#
        let body = TestAppStore.v1(more: price)
        let malformed = try #require(try SignedModel.refusal(of: body, verifier))
        #expect(malformed.reason == .malformed)
        #expect(malformed.genuineNotification?.kept == StoreNotification.withoutSecret(body))
        #expect(malformed.genuineNotification?.id.count == 16)
        for other in [
            TestAppStore.v1(secret: "another", more: price),
            TestAppStore.v1(bundleID: "com.example.other", more: price),
        ] {
            let refusal = try #require(try SignedModel.refusal(of: other, verifier))
            #expect(refusal.genuineNotification == nil)
        }
    }
}
