import AdAttribution
import Foundation

/// Apple's own postbacks: the only ones that may verify under Apple's keys, since nobody here can sign with them.
struct AppleVectors {
    /// The bodies that verify.
    let bodies: [[UInt8]]
    /// Every message that Apple has signed in them.
    let messages: Set<[UInt8]>

    /// Reads the fixtures of the tests.
    init() throws {
        var bodies: [[UInt8]] = []
        for name in ["skan-postbacks.json", "adattributionkit.json"] {
            let file = Repository.root.appending(path: "Tests/AdAttributionTests/Fixtures/" + name)
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
            for case let entry as [String: Any] in json as? [Any] ?? [] where entry["verifies"] as? Bool == true {
                guard let postback = entry["postback"], postback is [String: Any] else { continue }
                bodies.append(Array(try JSONSerialization.data(withJSONObject: postback, options: [.sortedKeys])))
            }
        }
        try expect(bodies.count >= 8, "the vectors are missing")
        self.bodies = bodies
        messages = Set(try bodies.map { try Postback(parsing: $0).signedMessage.bytes })
    }
}

/// The checkout.
enum Repository {
    /// Its folder, found from the path of this file.
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

/// A key ring over the networks of the vectors, once with each verifier.
struct BothVerifiers {
    let libcrypto: PostbackVerifier
    let fixed: PostbackVerifier

    init() throws {
        let names = ["com.example", "example123.skadnetwork", "development.adattributionkit"]
        var ring = try KeyRing(
            networks: names.compactMap(AdNetworkID.init).map { .init(adNetworkID: $0, signingKey: nil) })
        libcrypto = PostbackVerifier(keyRing: ring)
        let failed = ring.verify(with: FixedKey.backend)
        try expect(failed.isEmpty, "the fast verifier failed its check for \(failed)")
        fixed = PostbackVerifier(keyRing: ring)
    }
}
