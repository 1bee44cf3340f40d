import PostbackSimulation
import Synchronization
import TestSupport
import Testing

@testable import AdAttribution

/// Many postbacks at once get the verdicts that each gets alone, whatever key was the last.
@Suite("Verifying postbacks", .heavyWork)
struct PostbackVerifierTests {
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

    @Test("A batch has the same verdicts with fixed keys")
    func fixedKeys() throws {
        let keys = try TestKeys()
        var ring = keys.keyRing
        let postbacks = try Array(postbacks(keys).prefix(60))
        let plain = PostbackVerifier(keyRing: ring).verify(postbacks).map(verdict)
        #expect(ring.verify(with: FixedKey.backend) == [])
        #expect(PostbackVerifier(keyRing: ring).verify(postbacks).map(verdict) == plain)
    }

    @Test("The key that verified last is tried first, and then the others in their order")
    func lastKeyFirst() throws {
        let log = AskedKeys()
        let signing = try (0..<3).map { _ in try SigningKey.generate() }
        let ordered = OrderedPostbackKeys(try log.keys(signing))
        func asked(_ signer: SigningKey) throws -> [String] {
            let form = try PostbackForm.named("4.0 app")
            var postbacks = [try form.body.signed(with: signer).parsed()]
            let found = ordered.find(for: &postbacks)
            #expect(found.count == 1)
            return log.takeNames()
        }
        #expect(try asked(signing[2]) == ["key0", "key1", "key2"])
        #expect(try asked(signing[2]) == ["key2"])
        #expect(try asked(signing[1]) == ["key2", "key0", "key1"])
        // A signature that no key verifies changes nothing.
        #expect(try asked(SigningKey.generate()) == ["key1", "key0", "key2"])
        #expect(try asked(signing[1]) == ["key1"])
        // Nor do keys on the other curve.
        var old = [try PostbackForm.named("2.0").body.signed(with: SigningKey.generate(.p192)).parsed()]
        let found = ordered.find(for: &old)
        #expect(found.allSatisfy { $0 == nil })
        #expect(log.takeNames().isEmpty)
    }

    @Test("A hundred signatures are tried for one body at most, each body for itself", arguments: [1, 3])
    func budget(_ count: Int) throws {
        let log = AskedKeys()
        let ordered = OrderedPostbackKeys(
            try log.keys(Array(repeating: SigningKey.generate(), count: 2 * SignatureBudget.signatures)))
        let form = try PostbackForm.named("4.0 app")
        // Without the 0 it would be tried a second time under every key.
        let forged = try form.body.setting("source-app-id", "0").signed(with: SigningKey.generate()).parsed()
        var postbacks = Array(repeating: forged, count: count)
        let found = ordered.find(for: &postbacks)
        #expect(found.count == count)
        #expect(found.allSatisfy { $0 == nil })
        #expect(log.takeNames().count == count * SignatureBudget.signatures)
    }

    @Test("A full key ring uses less than the budget, so that no genuine postback is lost")
    func fullRing() throws {
        let log = AskedKeys()
        let signing = try SigningKey.generate()
        let others = Array(repeating: try SigningKey.generate(), count: KeyRing.maximumPostbackKeys - 1)
        let keys = try log.keys(others + [signing])
        let ring = try KeyRing.of(keys: keys)
        let form = try PostbackForm.named("4.0 app")
        let body = form.body.setting("source-app-id", "0")
        let signature = try #require(form.body.removing("source-app-id").signed(with: signing)["attribution-signature"])
        var postbacks = [try body.setting("attribution-signature", signature).parsed()]
        let found = ring.orderedKeys.find(for: &postbacks)
        #expect(found.map { $0?.name } == [keys.last?.name])
        #expect(postbacks[0].source == nil)
        #expect(log.takeNames().count <= SignatureBudget.signatures)
        let error = #expect(throws: FieldError.self) { try KeyRing.of(keys: keys + log.keys([signing], from: 99)) }
        #expect(error?.description == "postback-keys: must be at most 32, not 33")
    }
}

/// Notes which keys are asked, for how many signatures each, in order.
private final class AskedKeys: Sendable {
    private let names = Mutex<[String]>([])

    private struct Backend: SignatureBackend {
        let name: String
        let key: VerificationKey
        let log: AskedKeys

        func areValid(_ signatures: [SignedDigest]) -> [Bool] {
            log.names.withLock { $0 += signatures.map { _ in name } }
            return key.areValid(signatures)
        }
    }

    /// Keys `key0`, `key1` and so on.
    func keys(_ signing: [SigningKey], from first: Int = 0) throws -> [PostbackKey] {
        try signing.enumerated().map { number, key in
            let name = "key\(first + number)"
            let noted = key.publicKey.verifying { Backend(name: name, key: $0, log: self) }
            let result = try PostbackKey(name: name, environment: .test, key: #require(noted))
            _ = takeNames()
            return result
        }
    }

    /// The names so far; forgets them.
    func takeNames() -> [String] {
        names.withLock { names in
            defer { names = [] }
            return names
        }
    }
}
