import Foundation
import TestSupport
import Testing

@testable import AdAttribution

/// The table of versions against postbacks that others signed.
@Suite("Postback vectors")
struct PostbackVectorTests {
    private func check(_ vector: PostbackVector) throws {
        let postback = try Postback(parsing: vector.body)
        #expect(postback.version == vector.version)
        #expect(postback.signedMessage.bytes == vector.signedMessage)
        #expect(postback.body == vector.body)
        let key = try VerificationKey(vector.publicKey)
        #expect(key.curve == postback.curve)
        let verifies = key.isValid(signature: postback.signature, for: postback.signedMessage.bytes)
        #expect(verifies == vector.verifies)

        // Under its own key, whoever's that is, the verdict is the vector's too.
        let ring = try KeyRing.of(
            networks: [postback.adNetworkID.text], keys: [PostbackKey(name: "own", environment: .test, key: key)])
        let refusal = PostbackVerifier(keyRing: ring).rejection(of: postback)
        #expect(refusal?.reason == (vector.verifies ? nil : .invalidSignature))
        #expect(refusal?.checkedMessage == (vector.verifies ? nil : vector.signedMessage))
    }

    @Test(
        "Apple's postbacks give the signed bytes and the verdict of the vector", arguments: try PostbackVector.apple())
    func apple(_ vector: PostbackVector) throws {
        try check(vector)
    }

    @Test(
        "Apple's postbacks count as production, or are refused with the bytes that were checked",
        arguments: try PostbackVector.apple())
    func verifier(_ vector: PostbackVector) throws {
        let verifier = PostbackVerifier(keyRing: try .of(networks: ["com.example", "example123.skadnetwork"]))
        let postback = try Postback(parsing: vector.body)
        guard vector.verifies else {
            let refusal = try #require(verifier.rejection(of: postback))
            #expect(refusal.reason == .invalidSignature)
            #expect(refusal.checkedMessage == vector.signedMessage)
            return
        }
        let verified = try verifier.verify(postback)
        #expect(verified.environment == .production)
        #expect(verified.isDeveloperCopy == false)
        let name = postback.curve == .p192 ? "apple-skadnetwork-p192" : "apple-cas-identifier/0"
        #expect(verified.signingKey == name)
    }

    @Test(
        "Postbacks under other people's keys give the signed bytes and the verdict of the vector",
        .enabled(if: VectorFile.isShared("third-party-postbacks.json"), "third-party vectors are not here"))
    func thirdParty() throws {
        for vector in try PostbackVector.thirdParty() {
            try check(vector)
        }
    }

    @Test(
        "No postback that other people signed verifies under Apple's keys",
        .enabled(if: VectorFile.isShared("third-party-postbacks.json"), "third-party vectors are not here"))
    func thirdPartyIsNotApple() throws {
        let verifier = PostbackVerifier(keyRing: try .of(networks: ["com.example", "2tdux39lx8.skadnetwork"]))
        for vector in try PostbackVector.thirdParty() {
            let refusal = verifier.rejection(of: try Postback(parsing: vector.body))
            #expect(refusal?.reason == .invalidSignature, "\(vector.id)")
        }
    }

    @Test(
        "The shared vectors of Apple's are those of the fixtures",
        .enabled(if: VectorFile.isShared("skan-postbacks.json"), "the shared vectors are not here"))
    func shared() throws {
        let shared = try VectorFile.shared("skan-postbacks.json").map(PostbackVector.init)
        #expect(try shared.map(\.id).sorted() == PostbackVector.apple().map(\.id).sorted())
        for vector in shared { try check(vector) }
    }

    @Test("Every vector of the fixtures is read, among them a valid and an invalid one of 2.0")
    func coverage() throws {
        let vectors = try PostbackVector.apple()
        #expect(vectors.count == 8)
        #expect(Set(vectors.filter { $0.version.description == "2.0" }.map(\.verifies)) == [true, false])
        #expect(Set(vectors.map(\.id)).count == vectors.count)
    }

    @Test("The example postback of the repository is Apple's and verifies")
    func example() throws {
        let file = VectorFile.repository.appending(path: "examples/skan-2.0-postback.json")
        let postback = try Postback(parsing: Array(try Data(contentsOf: file)))
        let verified = try PostbackVerifier(keyRing: .of()).verify(postback)
        #expect(verified.environment == .production)
        #expect(postback.signedMessage.bytes == PostbackBody.genuine.expectedMessage)
    }
}
