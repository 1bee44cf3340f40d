package import AdAttribution
package import PostbackSimulation

/// A key ring with test keys, and postbacks signed with them.
package struct TestKeys: Sendable {
    /// The private half of the ring's postback key on P-192.
    package let postbackKey: SigningKey
    /// The private half of the ring's postback key on P-256.
    package let postbackKeyP256: SigningKey
    /// The name of that key, by which AdAttributionKit asks for it.
    package static let adAttributionKitKeyName = "load-test-p256"
    /// The private halves of the keys that count as development.
    package let developmentKey: SigningKey
    /// The same on P-256.
    package let developmentKeyP256: SigningKey
    /// The name of that key.
    package static let developmentKeyName = "development-p256"
    /// The ring: `com.example` and `example123.skadnetwork`, and the two test keys.
    package let keyRing: KeyRing
    /// A verifier over the ring.
    package let verifier: PostbackVerifier

    /// New keys.
    package init(developerApps: [AppID] = [], otherNetworks: Bool = true) throws {
        postbackKey = try SigningKey.generate(.p192)
        postbackKeyP256 = try SigningKey.generate(.p256)
        developmentKey = try SigningKey.generate(.p192)
        developmentKeyP256 = try SigningKey.generate(.p256)
        let names = otherNetworks ? ["com.example", "example123.skadnetwork"] : ["example123.skadnetwork"]
        keyRing = try KeyRing(
            networks: names.compactMap(AdNetworkID.init).map { .init(adNetworkID: $0, signingKey: nil) },
            developerApps: developerApps,
            postbackKeys: [
                PostbackKey(name: "load-test", environment: .test, key: postbackKey.publicKey),
                PostbackKey(name: Self.adAttributionKitKeyName, environment: .test, key: postbackKeyP256.publicKey),
                PostbackKey(name: "development", environment: .development, key: developmentKey.publicKey),
                PostbackKey(
                    name: Self.developmentKeyName, environment: .development, key: developmentKeyP256.publicKey),
            ])
        verifier = PostbackVerifier(keyRing: keyRing)
    }

    /// Parses and verifies a body.
    package func verified(_ body: [UInt8]) throws -> VerifiedPostback {
        try verifier.verify(Postback(parsing: body))
    }

    /// Simulated bodies under the ring's test key.
    package func simulate(
        seed: UInt64, count: Int, network: String = "example123.skadnetwork",
        _ change: (inout PostbackSimulator.Configuration) -> Void = { _ in }
    ) throws -> [[UInt8]] {
        var configuration = PostbackSimulator.Configuration(
            seed: seed, count: count, adNetworkIDs: [network].compactMap(AdNetworkID.init))
        change(&configuration)
        return try simulator(configuration).bodies()
    }

    /// A simulator under the ring's keys; the development keys are the ring's too.
    package func simulator(_ configuration: PostbackSimulator.Configuration) throws -> PostbackSimulator {
        try PostbackSimulator(
            configuration,
            keys: SimulationKeys(p192: postbackKey, p256: postbackKeyP256, name: Self.adAttributionKitKeyName),
            developmentKeys: SimulationKeys(
                p192: developmentKey, p256: developmentKeyP256, name: Self.developmentKeyName))
    }

    /// A simulator in time under the ring's test keys.
    package func timeline(_ settings: TimelineSettings, seed: UInt64, hasCopies: Bool = true) throws -> Timeline {
        try Timeline(
            settings, seed: seed,
            keys: SimulationKeys(p192: postbackKey, p256: postbackKeyP256, name: Self.adAttributionKitKeyName),
            hasCopies: hasCopies)
    }

    /// Apple's own documentation postback of version 2.0, with another conversion value or none.
    package static func apple(conversionValue: Int? = 20) throws -> [UInt8] {
        let text = String(decoding: try TestEnvironment.file("examples/skan-2.0-postback.json"), as: UTF8.self)
        let line = "\"conversion-value\": 20"
        if let conversionValue {
            return Array(text.replacing(line, with: "\"conversion-value\": \(conversionValue)").utf8)
        }
        return Array(text.replacing(line, with: "\"note\": 0").utf8)
    }
}
