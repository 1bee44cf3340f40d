import Testing

@testable import AdAttribution

/// What a key ring refuses, and how it tells networks and apps.
@Suite("Key ring")
struct KeyRingTests {
    @Test(
        "A network that occurs twice is refused, also in another letter case or with the other suffix",
        arguments: [
            ["com.example", "com.example"], ["com.example", "COM.Example"], ["a.skadnetwork", "a.adattributionkit"],
            ["a", "b", "A.SKADNETWORK"],
        ])
    func duplicateNetworks(_ networks: [String]) {
        let error = #expect(throws: FieldError.self) { try KeyRing.of(networks: networks) }
        #expect(error?.field == "networks")
        #expect(error?.rule == "each network must stand once")
        #expect(error?.value == networks.last)
    }

    @Test("A key name that occurs twice is refused")
    func duplicateNames() throws {
        let keys = try (0..<2).map { _ in
            try PostbackKey(name: "load-test", environment: .test, key: SigningKey.generate().publicKey)
        }
        let error = #expect(throws: FieldError.self) { try KeyRing.of(keys: keys) }
        #expect(error?.description == "postback-keys: each name must stand once, not load-test")
    }

    @Test(
        "A name has 1 to 64 bytes and does not begin like Apple's names",
        arguments: [
            "", "apple-", "apple-cas-identifier/0", "apple-mine", "apple-\u{301}mine", "Apple-mine", "a\nb",
            String(repeating: "x", count: 65),
            String(repeating: "é", count: 33),
        ])
    func names(_ name: String) throws {
        let key = try SigningKey.generate().publicKey
        let error = #expect(throws: FieldError.self) { try PostbackKey(name: name, environment: .test, key: key) }
        #expect(error?.field == "name")
    }

    @Test(
        "Other names are accepted",
        arguments: ["a", "apples", "load-test/0", "my-apple-key", String(repeating: "x", count: 64)])
    func goodNames(_ name: String) throws {
        let key = try SigningKey.generate().publicKey
        #expect(try PostbackKey(name: name, environment: .development, key: key).name == name)
    }

    @Test("No ring key counts as `production`")
    func production() throws {
        let key = try SigningKey.generate().publicKey
        let error = #expect(throws: FieldError.self) {
            try PostbackKey(name: "mine", environment: .production, key: key)
        }
        #expect(error?.field == "environment")
    }

    @Test(
        "A network is found in any letter case and with both suffixes",
        arguments: [
            ("example123.skadnetwork", true), ("EXAMPLE123.skadnetwork", true), ("example123.adattributionkit", true),
            ("example123", true), ("example1234.skadnetwork", false), ("example12.skadnetwork", false),
            ("skadnetwork", false),
        ])
    func recipients(_ text: String, _ known: Bool) throws {
        let ring = try KeyRing.of(networks: ["example123.skadnetwork"], apps: [525_463_029])
        let body = PostbackBody.genuine.setting("ad-network-id", "\"\(text)\"")
        #expect(ring.recipient(of: try body.setting("app-id", "1").parsed()) == (known ? .network : nil))
        #expect(ring.recipient(of: try body.parsed()) == (known ? .network : .developer))
    }

    @Test("The network's key is found under every spelling, if there is one")
    func signingKeys() throws {
        let key = try SigningKey.generate()
        let signing = try #require(AdNetworkID("example123.skadnetwork"))
        let receiving = try #require(AdNetworkID("com.example"))
        let ring = try KeyRing(networks: [
            .init(adNetworkID: signing, signingKey: key), .init(adNetworkID: receiving, signingKey: nil),
        ])
        for text in ["example123.skadnetwork", "example123.adattributionkit", "Example123"] {
            let found = ring.signingKey(for: try #require(AdNetworkID(text)))
            #expect(found?.publicKey.pem == key.publicKey.pem)
        }
        #expect(ring.signingKey(for: receiving) == nil)
        #expect(ring.networks.count == 2)
    }

    @Test("An empty key ring has Apple's keys, and no networks and apps")
    func empty() throws {
        let ring = try KeyRing.of(networks: [])
        #expect(ring.postbackKeys.map(\.name) == AppleKey.allCases.map(\.rawValue))
        let refusal = PostbackVerifier(keyRing: ring).rejection(of: try PostbackBody.genuine.parsed())
        #expect(refusal?.reason == .unknownNetwork)
    }
}
