import Testing

@testable import AdAttribution

/// For whom an AdAttributionKit postback is: a network of the ring under either suffix, an app of the ring, or the
/// developer settings of a device.
@Suite("AdAttributionKit recipients")
struct AdAttributionKitRecipientTests {
    private func body(
        network: String, app: String = "525463029", kid: String = AdAttributionKitBody.keyID
    ) -> AdAttributionKitBody {
        AdAttributionKitBody {
            $0.header = $0.header.setting("kid", "\"\(kid)\"")
            $0.payload = $0.payload.setting("ad-network-identifier", "\"\(network)\"")
                .setting("advertised-item-identifier", app)
        }
    }

    @Test(
        "Both suffixes of a network are ours in both protocols, in any letter case",
        arguments: [
            ("example123.skadnetwork", "example123.adattributionkit", true),
            ("example123.adattributionkit", "example123.skadnetwork", true),
            ("example123.adattributionkit", "EXAMPLE123.AdAttributionKit", true),
            ("example123.skadnetwork", "example123", true), ("com.example", "com.example.skadnetwork", true),
            ("example123.skadnetwork", "example12.skadnetwork", false),
            ("example123.skadnetwork", "example123.adattributionkit.com", false),
        ])
    func suffixes(_ known: String, _ named: String, _ isOurs: Bool) throws {
        let verifier = try AdAttributionKitBody.verifier(networks: [known])
        let refusal = verifier.rejection(ofBody: try body(network: named).bytes())
        #expect(refusal?.reason == (isOurs ? nil : .unknownNetwork))
        // The same of SKAdNetwork.
        let test = try #require(PostbackForm.keys[.p256])
        let ring = try KeyRing.of(
            networks: [known], keys: [PostbackKey(name: "test", environment: .test, key: test.publicKey)])
        let postback = try PostbackForm.named("4.0 app").body.setting("ad-network-id", "\"\(named)\"").signed(
            with: test)
        #expect(PostbackVerifier(keyRing: ring).rejection(ofBody: postback.bytes)?.reason == refusal?.reason)
    }

    @Test("An unknown network is refused before the signature is verified")
    func unknown() throws {
        let verifier = try AdAttributionKitBody.verifier(networks: ["com.example"])
        let refusal = try #require(verifier.rejection(ofBody: try AdAttributionKitBody().bytes()))
        #expect(refusal.reason == .unknownNetwork)
        #expect(refusal.detail == "ad-network-identifier: neither the network nor the app is in the key ring")
        #expect(refusal.checkedMessage == nil)
        #expect(refusal.claims?.adNetworkID?.text == "example123.adattributionkit")
    }

    @Test("A postback for a known app is a developer copy, unless the network is ours")
    func developerCopy() throws {
        let postback = try AdAttributionKitBody().parsed()
        let copy = try AdAttributionKitBody.verifier(networks: [], apps: [525_463_029]).verify(postback)
        #expect(copy.isDeveloperCopy)
        let ours = try AdAttributionKitBody.verifier(apps: [525_463_029]).verify(postback)
        #expect(!ours.isDeveloperCopy)
        let other = try AdAttributionKitBody.verifier(networks: [], apps: [525_463_028])
        #expect(other.rejection(of: postback)?.reason == .unknownNetwork)
    }

    @Test("The network of the developer settings is known only under Apple's key for them")
    func developerSettings() throws {
        let vector = try #require(try AdAttributionKitVector.fixtures().first { $0.verifies })
        let genuine = try Postback(parsing: #require(vector.body).bytes)
        #expect(genuine.isFromDeveloperSettings)
        let verified = try PostbackVerifier(keyRing: .of(networks: [])).verify(genuine)
        #expect(verified.environment == .development)
        #expect(verified.signingKey == "apple-development-identifier/1")
        #expect(!verified.isDeveloperCopy)
        // A copy for an app of the ring is a developer's all the same.
        let copy = PostbackVerifier(keyRing: try .of(networks: [], apps: [10_738_027_756]))
        #expect(try copy.verify(genuine).isDeveloperCopy)

        let settings = "development.adattributionkit"
        let stranger = try AdAttributionKitBody.verifier(networks: [])
        for kid in ["apple-cas-identifier/0", "apple-development-identifier/0", AdAttributionKitBody.keyID, "x"] {
            let refusal = stranger.rejection(ofBody: try body(network: settings, kid: kid).bytes())
            #expect(refusal?.reason == .unknownNetwork, "\(kid)")
        }
        // Known under that name, and refused all the same without that key's signature.
        for network in [settings, settings.uppercased()] {
            let forged = body(network: network, kid: "apple-development-identifier/1")
            #expect(stranger.rejection(ofBody: try forged.bytes())?.reason == .invalidSignature)
        }
        for network in ["development", "development.skadnetwork", "x.development.adattributionkit"] {
            let other = body(network: network, kid: "apple-development-identifier/1")
            #expect(stranger.rejection(ofBody: try other.bytes())?.reason == .unknownNetwork, "\(network)")
        }
    }

    @Test("A body of SKAdNetwork with that network's name is refused")
    func skAdNetwork() throws {
        let body = PostbackBody.genuine.setting("ad-network-id", #""development.adattributionkit""#)
        let refusal = PostbackVerifier(keyRing: try .of(networks: [])).rejection(ofBody: body.bytes)
        #expect(refusal?.reason == .unknownNetwork)
    }
}
