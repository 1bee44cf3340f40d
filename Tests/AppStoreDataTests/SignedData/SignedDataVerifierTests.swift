import ECDSA
import TestSupport
import Testing

@testable import AppStoreData

@Suite("Signed data")
struct SignedDataVerifierTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    @Test("Every form gets its verdict, and a refusal names a field and a rule in one short line")
    func verdicts() throws {
        for example in try SignedDataCase.all(store) {
            // With a verifier of its own, so that no chain is known.
            #expect(Verdict(example.text, by: store.verifier()) == example.verdict, "\(example.name)")
            do throws(SignedDataError) {
                _ = try store.verifier().verify(example.text, now: TestStore.now)
            } catch {
                #expect(!error.field.isEmpty && !error.rule.isEmpty, "\(example.name)")
                #expect(error.description.utf8.count <= 200 && !error.description.contains("\n"), "\(error)")
            }
        }
    }

    @Test("A known chain changes no verdict")
    func knownChain() throws {
        let verifier = store.verifier()
        for example in try SignedDataCase.all(store) + SignedDataCase.all(store) {
            #expect(Verdict(example.text, by: verifier) == example.verdict, "\(example.name)")
        }
        #expect(verifier.knownChains == 1)
    }

    @Test("What was verified has the payload as it was signed, its time, and whose root it was")
    func content() throws {
        let payload = "{ \"a\" : \"\\u00e4/\\/\",\n\"signedDate\":1761868800123 }"
        let verified = try store.verifier().verify(try store.text(payload: payload), now: TestStore.now)
        #expect(verified.json == Array(payload.utf8))
        #expect(verified.signedAt == 1_761_868_800_123)
        #expect(verified.isOfTestRoot)
        let real = SignedDataVerifier(trust: .none, appleRoots: [store.root])
        #expect(try !real.verify(try store.text(), now: TestStore.now).isOfTestRoot)
        let both = SignedDataVerifier(
            trust: StoreTrust(apps: [], sharedSecrets: [], testRoots: [store.root], accountKey: nil),
            appleRoots: [store.root])
        #expect(try !both.verify(try store.text(), now: TestStore.now).isOfTestRoot, "Apple's roots go first")
    }

    @Test("Without a root of tests only Apple's root is trusted, and without any root nothing is")
    func roots() throws {
        let text = try store.text()
        let untrusted = Verdict.refused(.untrustedChain, field: "x5c")
        #expect(Verdict(text, by: SignedDataVerifier(trust: .none)) == untrusted)
        #expect(Verdict(text, by: SignedDataVerifier(trust: .none, appleRoots: [])) == untrusted)
        let stranger = try TestStore()
        #expect(Verdict(text, by: stranger.verifier()) == untrusted)
    }

    @Test("Up to five minutes later than our clock is accepted")
    func clock() throws {
        let text = try store.text()
        let early = Verdict.refused(.malformed, field: "signedDate")
        let verdicts: [(Int64, Verdict)] = [
            (TestStore.signedAt - 300_000, .accepted), (.max, .accepted), (TestStore.signedAt - 300_001, early),
            (.min, early),
        ]
        for (now, verdict) in verdicts {
            #expect(Verdict(text, by: store.verifier(), now: now) == verdict, "\(now)")
        }
    }

    @Test("The chain must be valid in the second of the signature")
    func validity() throws {
        let verifier = store.verifier()
        let outside = Verdict.refused(.untrustedChain, field: "x5c")
        let verdicts: [(Int64, Verdict)] = [
            (TestStore.firstOfLeaf * 1_000 - 1, outside), (TestStore.firstOfLeaf * 1_000, .accepted),
            (TestStore.last * 1_000 - 1, .accepted), (TestStore.last * 1_000, outside),
        ]
        for (milliseconds, verdict) in verdicts {
            let text = try store.text(payload: "{\"signedDate\":\(milliseconds)}")
            for _ in 0..<2 {
                #expect(Verdict(text, by: verifier, now: milliseconds) == verdict, "\(milliseconds)")
            }
        }
    }

    @Test("A signer signs what is verified under its root, and no other")
    func signer() throws {
        let signer = try StoreSigner.make(validFrom: TestStore.first, validTo: TestStore.last)
        let text = try signer.sign(Array(TestStore.payload.utf8))
        let trust = StoreTrust(apps: [], sharedSecrets: [], testRoots: [signer.root], accountKey: nil)
        let verified = try SignedDataVerifier(trust: trust).verify(text, now: TestStore.now)
        #expect(verified.json == Array(TestStore.payload.utf8) && verified.isOfTestRoot)
        #expect(Verdict(text, by: store.verifier()) == .refused(.untrustedChain, field: "x5c"))
    }

    @Test("No change of a text that verifies verifies", .heavyWork)
    func mutations() throws {
        let verifier = store.verifier()
        var random = SeededGenerator(seed: 36)
        for text in [try store.text(), try store.text(payload: #"{"receiptCreationDate":1761868800000}"#)] {
            for _ in 0..<5 * Mutation.count {
                let changed = Mutation.ofText(text, &random)
                #expect(changed == text || Verdict(changed, by: verifier) != .accepted)
            }
        }
    }
}
