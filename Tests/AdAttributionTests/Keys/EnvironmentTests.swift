import Testing

@testable import AdAttribution

/// Every postback counts in exactly one environment, and what a phone in developer mode mints is never production.
///
/// That a `VerifiedPostback` comes from the verifier alone is not tested here. Its one initialiser is `fileprivate`
/// beside `PostbackVerifier`, so any other maker, these tests included, does not compile.
@Suite("Environments")
struct EnvironmentTests {
    private let key: SigningKey

    init() throws {
        key = try SigningKey.generate(.p192)
    }

    private func postbackKey(_ name: String, _ environment: AttributionEnvironment) throws -> PostbackKey {
        try PostbackKey(name: name, environment: environment, key: key.publicKey)
    }

    @Test(
        "A ring key gives its own environment, whatever the source app id is",
        arguments: [AttributionEnvironment.test, .development], [nil, "0", "1234567891"] as [String?])
    func ringKey(_ environment: AttributionEnvironment, _ sourceAppID: String?) throws {
        let verifier = PostbackVerifier(keyRing: try .of(keys: [postbackKey("load-test", environment)]))
        let unsourced = PostbackBody.genuine.removing("source-app-id")
        let body = sourceAppID.map { unsourced.setting("source-app-id", $0) } ?? unsourced
        let verified = try verifier.verify(body.signed(with: key).parsed())
        #expect(verified.environment == environment)
        #expect(verified.signingKey == "load-test")
    }

    @Test(
        "Under a production key a signed source app id of 0 is development, any other and none are production",
        arguments: [("0", AttributionEnvironment.development), ("1", .production), (nil, .production)]
            as [(String?, AttributionEnvironment)])
    func productionKey(_ sourceAppID: String?, _ expected: AttributionEnvironment) throws {
        let unsourced = PostbackBody.genuine.removing("source-app-id")
        let postback = try (sourceAppID.map { unsourced.setting("source-app-id", $0) } ?? unsourced).parsed()
        #expect(try PostbackKey(.skadnetworkP192).environment(of: postback) == expected)
        #expect(try PostbackKey(.production).environment(of: postback) == expected)
        #expect(try PostbackKey(.development).environment(of: postback) == .development)
    }

    @Test("Keys are tried production first, then development, then the ring's in their order")
    func order() throws {
        let ring = try KeyRing.of(keys: [postbackKey("b", .test), postbackKey("a", .development)])
        #expect(
            ring.postbackKeys.map(\.name) == [
                "apple-skadnetwork-p192", "apple-cas-identifier/0", "apple-development-identifier/0",
                "apple-development-identifier/1", "b", "a",
            ])
        // One key under two names: the first name has it.
        let postback = try PostbackBody.genuine.signed(with: key).parsed()
        #expect(try PostbackVerifier(keyRing: ring).verify(postback).signingKey == "b")
    }

    @Test("If Apple's own key is in the ring as a test key, a genuine postback still counts as `production`")
    func appleKeyInRing() throws {
        let apple = try VerificationKey(AppleKey.skadnetworkP192.subjectPublicKeyInfo)
        let ring = try KeyRing.of(keys: [try PostbackKey(name: "mine", environment: .test, key: apple)])
        let verified = try PostbackVerifier(keyRing: ring).verify(PostbackBody.genuine.parsed())
        #expect(verified.environment == .production)
        #expect(verified.signingKey == "apple-skadnetwork-p192")
    }

    @Test("A key on the curve of another version is not tried")
    func curve() throws {
        let p256 = try SigningKey.generate(.p256)
        let test = try PostbackKey(name: "p256", environment: .test, key: p256.publicKey)
        let postback = try PostbackBody.genuine.signed(with: p256).parsed()
        let refusal = PostbackVerifier(keyRing: try .of(keys: [test])).rejection(of: postback)
        #expect(refusal?.reason == .invalidSignature)
        #expect(refusal?.detail == "attribution-signature: no key on P-192 verifies it over the signed fields")
    }

    @Test("The network is checked before the signature")
    func unknownFirst() throws {
        let verifier = PostbackVerifier(keyRing: try .of(networks: ["other.skadnetwork"]))
        for body in [PostbackBody.genuine, .genuine.setting("campaign-id", "43")] {
            let refusal = verifier.rejection(of: try body.parsed())
            #expect(refusal?.reason == .unknownNetwork)
            #expect(refusal?.checkedMessage == nil)
        }
    }

    @Test("A postback for a known app is a developer copy, unless the network is ours")
    func developerCopy() throws {
        let genuine = try PostbackBody.genuine.parsed()
        let app: Int64 = 525_463_029
        let copy = try PostbackVerifier(keyRing: .of(networks: [], apps: [app])).verify(genuine)
        #expect(copy.isDeveloperCopy)
        #expect(copy.environment == .production)
        #expect(try !PostbackVerifier(keyRing: .of(apps: [app])).verify(genuine).isDeveloperCopy)
        let other = PostbackVerifier(keyRing: try .of(networks: [], apps: [app + 1]))
        #expect(other.rejection(of: genuine)?.reason == .unknownNetwork)
    }
}
