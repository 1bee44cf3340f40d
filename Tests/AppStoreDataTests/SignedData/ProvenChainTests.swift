import ECDSA
import Testing

@testable import AppStoreData

/// What is kept of chains that were proven.
@Suite("Proven chains")
struct ProvenChainTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    @Test("A chain is proven once, also for another third certificate and another payload")
    func once() throws {
        let verifier = store.verifier()
        for text in [
            try store.text(), try store.text(payload: #"{"signedDate":1700000000000}"#),
            try store.text(header: store.header([store.leaf, store.intermediate, store.leaf])),
        ] {
            #expect(Verdict(text, by: verifier) == .accepted)
            #expect(verifier.knownChains == 1)
        }
    }

    @Test("What was refused is not kept, and a good chain with a bad signature is")
    func refused() throws {
        let verifier = store.verifier()
        let stranger = try TestStore()
        for text in [
            try stranger.text(), try store.text(header: store.header([store.leaf, stranger.intermediate, store.root])),
            try store.text(payload: #"{"signedDate":1600000000000}"#), Array("a.b.c".utf8),
        ] {
            #expect(Verdict(text, by: verifier) != .accepted)
            #expect(verifier.knownChains == 0)
        }
        let text = try store.text(key: stranger.leafKey)
        #expect(Verdict(text, by: verifier) == .refused(.invalidSignature, field: "signature"))
        #expect(verifier.knownChains == 1)
    }

    @Test("A known leaf with another authority is another chain")
    func otherAuthority() throws {
        let verifier = store.verifier()
        #expect(Verdict(try store.text(), by: verifier) == .accepted)
        let other = try store.authority()
        let text = try store.text(header: store.header([store.leaf, other, store.root]))
        #expect(Verdict(text, by: verifier) == .accepted)
        #expect(verifier.knownChains == 2)
        let unmarked = try store.authority(marker: [])
        let wrong = try store.text(header: store.header([store.leaf, unmarked, store.root]))
        #expect(Verdict(wrong, by: verifier) == .refused(.untrustedChain, field: "x5c"))
    }

    @Test("A known chain is not used at a time at which one of its certificates is not valid")
    func otherTime() throws {
        let verifier = store.verifier()
        let short = try store.authority(validTo: 1_770_000_000)
        let header = store.header([store.leaf, short, store.root])
        let outside = Verdict.refused(.untrustedChain, field: "x5c")
        let verdicts: [(Int64, Verdict)] = [
            (1_769_999_999_999, .accepted), (1_770_000_000_000, outside), (1_769_999_999_000, .accepted),
            (1_649_999_999_999, outside),
        ]
        for (milliseconds, verdict) in verdicts {
            let text = try store.text(header: header, payload: "{\"signedDate\":\(milliseconds)}")
            #expect(Verdict(text, by: verifier) == verdict, "\(milliseconds)")
        }
        #expect(verifier.knownChains == 1)
    }

    @Test("However many chains come, only some are kept")
    func bounded() throws {
        let verifier = store.verifier()
        for _ in 0..<SignedDataVerifier.cacheLimit + 10 {
            let other = try store.otherLeaf()
            let text = try store.text(header: store.header([other, store.intermediate, store.root]))
            #expect(Verdict(text, by: verifier) == .accepted)
            #expect(verifier.knownChains <= SignedDataVerifier.cacheLimit)
        }
        #expect(verifier.knownChains == 10)
        #expect(Verdict(try store.text(), by: verifier) == .accepted)
    }

    @Test("Many threads may verify at once")
    func threads() async throws {
        let verifier = store.verifier()
        let (good, bad) = (try store.text(), try store.text(key: store.rootKey))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<50).allSatisfy { _ in
                        Verdict(good, by: verifier) == .accepted && Verdict(bad, by: verifier) != .accepted
                    }
                }
            }
            for await isGood in group { #expect(isGood) }
        }
    }
}
