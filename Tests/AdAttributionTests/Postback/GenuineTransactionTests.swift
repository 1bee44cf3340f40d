import Testing

@testable import AdAttribution

/// A rejected postback tells whether Apple signed it; the quarantine protects these, so nothing else may claim it.
@Suite("The transaction of a rejected postback")
struct GenuineTransactionTests {
    private static let strangers = ["other.skadnetwork"]

    /// Apple's own postbacks, of networks that the ring does not know.
    private static let fromApple = PostbackForm.all.filter(\.isGenuine)

    /// Refused by one alone, by one in a batch of its own, and by one among others: always the same.
    private func refusal(of body: PostbackBody, under ring: KeyRing) throws -> PostbackRejection {
        let postback = try body.parsed()
        let verifier = PostbackVerifier(keyRing: ring)
        let refusal = try #require(verifier.rejection(of: postback))
        let neighbour = try PostbackBody.genuine.parsed()
        for (batch, place) in [([postback], 0), ([neighbour, postback, neighbour], 1)] {
            let results = verifier.verify(batch)
            #expect(results.count == batch.count)
            #expect(throws: refusal) { try results[place].get() }
        }
        return refusal
    }

    @Test("A postback that Apple signed for an unknown network is marked, with the key under which it would count")
    func genuine() throws {
        #expect(Self.fromApple.count == 7)
        for form in Self.fromApple {
            let ring = try KeyRing.of(networks: Self.strangers)
            let refusal = try refusal(of: form.body, under: ring)
            #expect(refusal.reason == .unknownNetwork)
            #expect(refusal.checkedMessage == nil)
            let transaction = try #require(refusal.genuineTransaction, "\(form)")
            let counted = try form.verifier.verify(form.body.parsed())
            #expect(transaction.environment == counted.environment)
            #expect(transaction.attributionProtocol == .skAdNetwork)
            #expect(transaction.adNetworkID == counted.postback.adNetworkID.lowercased)
            #expect(transaction.transactionID == counted.postback.transactionID.uuid)
            #expect(transaction.sequenceIndex == counted.postback.sequenceIndex)
            #expect(transaction.didWin == counted.postback.didWin)
            #expect(transaction.conversionValue == counted.postback.conversionValue)
        }
    }

    @Test("Unsigned fields do not change the mark: the value, and fields that a relay added")
    func unsigned() throws {
        let ring = try KeyRing.of(networks: Self.strangers)
        let raised = try refusal(of: .genuine.setting("conversion-value", "63"), under: ring)
        #expect(raised.genuineTransaction?.conversionValue.fine?.value == 63)
        let upper = PostbackBody.genuine.setting("x", "1")
        #expect(try refusal(of: upper, under: ring).genuineTransaction?.adNetworkID == "com.example")
        let lost = try PostbackForm.named("skan-3.0-apple-doc-lose").body
        let plain = try #require(try refusal(of: lost, under: ring).genuineTransaction)
        #expect(!plain.didWin)
        #expect(try refusal(of: lost.setting("source-app-id", "0"), under: ring).genuineTransaction == plain)
    }

    @Test("A forged postback is not marked, whichever signed field was changed", arguments: fromApple)
    func forged(_ form: PostbackForm) throws {
        let changes = [
            "ad-network-id": #""forged.skadnetwork""#, "campaign-id": "43", "source-identifier": #""4321""#,
            "app-id": "525463030", "transaction-id": #""6aafb7a5-0170-41b5-bbe4-fe71dedf1eff""#,
            "redownload": form.body["redownload"] == "true" ? "false" : "true", "source-app-id": "1234567892",
            "source-domain": #""forged.example""#, "fidelity-type": form.body["fidelity-type"] == "1" ? "0" : "1",
            "did-win": form.body["did-win"] == "true" ? "false" : "true",
            "postback-sequence-index": form.body["postback-sequence-index"] == "1" ? "2" : "1",
        ]
        let ring = try KeyRing.of(networks: Self.strangers)
        var changed = 0
        for key in form.body.signedKeys {
            guard let value = changes[key] else { continue }
            changed += 1
            let refusal = try refusal(of: form.body.setting(key, value), under: ring)
            #expect(refusal.reason == .unknownNetwork)
            #expect(refusal.genuineTransaction == nil, "\(key)")
        }
        #expect(changed >= 6)
    }

    @Test(
        "A postback under a ring key is not marked, nor is a forged one of a known network",
        arguments: PostbackForm.ours)
    func ringKeys(_ form: PostbackForm) throws {
        let key = try #require(PostbackForm.keys[form.curve]).publicKey
        for environment in [AttributionEnvironment.test, .development] {
            let keys = [try PostbackKey(name: "mine", environment: environment, key: key)]
            let unknown = try refusal(of: form.body, under: .of(networks: Self.strangers, keys: keys))
            #expect(unknown.reason == .unknownNetwork)
            #expect(unknown.genuineTransaction == nil)
        }
        let forged = try refusal(of: form.body, under: .of(networks: PostbackForm.networks))
        #expect(forged.reason == .invalidSignature)
        #expect(forged.genuineTransaction == nil)
    }

    @Test("Apple's keys are known by their names, which no ring key can have")
    func names() throws {
        let key = try SigningKey.generate().publicKey
        let mine = try PostbackKey(name: "my-apple-key", environment: .development, key: key)
        let ring = try KeyRing.of(keys: [mine])
        #expect(ring.postbackKeys.filter(\.isApples).map(\.name) == AppleKey.allCases.map(\.rawValue))
        #expect(!mine.isApples)
    }
}
