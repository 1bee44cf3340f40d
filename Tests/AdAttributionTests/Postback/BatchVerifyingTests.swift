import PostbackSimulation
import TestSupport
import Testing

@testable import AdAttribution

/// Many postbacks at once get the verdicts that each gets alone, whatever key was the last.
@Suite("Verifying many postbacks", .heavyWork)
struct BatchVerifyingTests {
    /// What is said of a postback, in a form that compares.
    private func verdict(_ result: Result<VerifiedPostback, PostbackRejection>) -> String {
        switch result {
        case .success(let verified):
            "\(verified.signingKey) \(verified.environment) \(verified.isDeveloperCopy) "
                + "\(verified.postback.isRelayNormalised) \(verified.postback.source as Any)"
        case .failure(let rejection): "\(rejection)"
        }
    }

    /// Genuine postbacks of all kinds under four keys, and between them such as are not.
    private func postbacks(_ keys: TestKeys) throws -> [Postback] {
        let networks = ["example123.skadnetwork", "com.example", "com.stranger"].compactMap(AdNetworkID.init)
        var configuration = PostbackSimulator.Configuration.everything(seed: 5, count: 400, adNetworkIDs: networks)
        configuration.developmentRate = 0.3
        configuration.relayNoiseRate = 0.3
        return try keys.simulator(configuration).bodies().enumerated().map { index, body in
            var body = body
            // Of every seventh the first digit of the transaction id, which is signed.
            let id = Array("\"transaction-id\":\"".utf8)
            if index % 7 == 3, let start = body.indices.first(where: { body[$0...].starts(with: id) }) {
                body[start + id.count] = UInt8(ascii: "0")
            }
            return try Postback(parsing: body)
        }
    }

    @Test("A batch has the same verdicts as postbacks one by one, in the same order")
    func sameVerdicts() throws {
        let keys = try TestKeys(developerApps: [10_738_027_756].compactMap { AppID($0) })
        let postbacks = try postbacks(keys)
        let alone = postbacks.map { postback in
            verdict(
                Result { () throws(PostbackRejection) in try PostbackVerifier(keyRing: keys.keyRing).verify(postback) })
        }
        #expect(Set(alone).count > 10)
        for size in [1, 7, 400] {
            let verifier = PostbackVerifier(keyRing: keys.keyRing)
            let together = stride(from: 0, to: postbacks.count, by: size).flatMap { start in
                verifier.verify(Array(postbacks[start..<min(start + size, postbacks.count)])).map(verdict)
            }
            #expect(together == alone)
        }
        #expect(PostbackVerifier(keyRing: keys.keyRing).verify([]).isEmpty)
    }

    @Test("A batch has the same verdicts with prepared keys")
    func preparedKeys() throws {
        let keys = try TestKeys()
        var ring = keys.keyRing
        let postbacks = try Array(postbacks(keys).prefix(60))
        let plain = PostbackVerifier(keyRing: ring).verify(postbacks).map(verdict)
        #expect(ring.prepareForVerifying() == [])
        #expect(PostbackVerifier(keyRing: ring).verify(postbacks).map(verdict) == plain)
    }

    @Test("The key that verified last is tried first, and then the others in their order")
    func lastKeyFirst() throws {
        let keys = try (0..<3).map { number in
            try PostbackKey(name: "key\(number)", environment: .test, key: SigningKey.generate().publicKey)
        }
        let ordered = OrderedPostbackKeys(keys)
        func asked(_ good: String?) -> [String] {
            var names: [String] = []
            let found = ordered.first(on: .p256) { key in
                names.append(key.name)
                return key.name == good
            }
            #expect(found?.name == good)
            return names
        }
        #expect(asked("key2") == ["key0", "key1", "key2"])
        #expect(asked("key2") == ["key2"])
        #expect(asked("key1") == ["key2", "key0", "key1"])
        // A signature that no key verifies changes nothing.
        #expect(asked(nil) == ["key1", "key0", "key2"])
        #expect(asked("key1") == ["key1"])
        #expect(ordered.first(on: .p192) { _ in true }?.name == nil)
    }
}
