import ECDSA
import Encodings
import Testing

@testable import AppStoreData

@Suite("Trust in the App Store")
struct StoreTrustTests {
    private let trust = StoreTrust(
        apps: [StoreApp(bundleID: "com.example", appID: 1_234), StoreApp(bundleID: "com.example.b", appID: nil)],
        sharedSecrets: [
            SharedSecret(bundleID: "com.example", secret: Array("old secret".utf8)),
            SharedSecret(bundleID: "com.example", secret: Array("new secret".utf8)),
        ], testRoots: [], accountKey: nil)

    @Test("A secret is taken for its app alone; two are while one is replaced")
    func secrets() {
        for (secret, bundleID, isTaken) in [
            ("old secret", "com.example", true), ("new secret", "com.example", true),
            ("new secret ", "com.example", false), ("", "com.example", false), ("New secret", "com.example", false),
            ("new secret", "com.example.b", false), ("new secret", "", false), ("", "com.example.b", false),
        ] {
            #expect(trust.takes(secret: Array(secret.utf8), of: bundleID) == isTaken, "\(secret) \(bundleID)")
        }
        #expect(!StoreTrust.none.takes(secret: [], of: "com.example"))
    }

    @Test("Apps are found by their bundle id")
    func apps() {
        #expect(trust.apps["com.example"]?.appID == 1_234)
        #expect(trust.apps["com.example.b"] == StoreApp(bundleID: "com.example.b", appID: nil))
        #expect(trust.apps["COM.EXAMPLE"] == nil && StoreTrust.none.apps.isEmpty)
    }

    @Test("No description shows a secret")
    func silence() {
        let secret = SharedSecret(bundleID: "com.example", secret: Array("open sesame".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        dump(trust, to: &dumped)
        let texts = "\(secret) \(String(reflecting: secret)) \(dumped)"
        #expect(!texts.contains("sesame") && !texts.contains("digest"))
    }

    @Test("The root that is built in is Apple Root CA - G3")
    func appleRoot() throws {
        #expect(AppleRoots.all.count == 1)
        let root = try #require(AppleRoots.all.first)
        #expect(
            Hexadecimal.text(root.sha256) == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        #expect(root.validity == 1_398_881_946...2_187_800_346)
    }

    @Test("The reasons of refusals have the names that tables and answers have")
    func reasons() {
        #expect(
            SignedDataError.Reason.allCases.map(\.rawValue) == [
                "malformed", "untrusted_chain", "invalid_signature", "unknown_app", "wrong_environment",
                "wrong_secret", "too_large",
            ])
    }
}
