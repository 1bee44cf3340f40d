import ECDSA
import Testing

@Suite("Chains of certificates")
struct CertificateChainTests {
    private let chain: TestChain
    private let time: Int64 = 2_000_000_000

    init() throws {
        chain = try TestChain()
    }

    private func verify(
        leaf: Certificate? = nil, intermediate: Certificate? = nil, roots: [Certificate]? = nil,
        at seconds: Int64? = nil
    ) throws(CertificateError) -> Range<Int64> {
        try CertificateChain.verify(
            leaf: leaf ?? chain.leaf, intermediate: intermediate ?? chain.intermediate, roots: roots ?? [chain.root],
            at: seconds ?? time, isStrict: true)
    }

    private func isUntrusted(
        leaf: Certificate? = nil, intermediate: Certificate? = nil, roots: [Certificate]? = nil
    ) -> Bool {
        do throws(CertificateError) {
            _ = try verify(leaf: leaf, intermediate: intermediate, roots: roots)
            return false
        } catch {
            if case .untrusted = error { return true }
            return false
        }
    }

    @Test("A chain is valid while all three certificates are, without the last second")
    func times() throws {
        let valid = TestChain.first + 10..<TestChain.last - 20
        for seconds in [valid.lowerBound, time, valid.upperBound - 1] {
            #expect(try verify(at: seconds) == valid)
        }
        for seconds in [0, -1, valid.lowerBound - 1, valid.upperBound, TestChain.last, 200_000_000_000] {
            #expect(throws: CertificateError.notValidAt(seconds)) { _ = try verify(at: seconds) }
        }
    }

    @Test("The root is found among others, also of the same name")
    func manyRoots() throws {
        let other = try TestChain()
        #expect(try verify(roots: [other.root, chain.root, other.intermediate]) == verify())
    }

    @Test("Only the roots are trusted: not an authority, not none, not somebody else's of the same name")
    func untrusted() throws {
        let other = try TestChain()
        #expect(isUntrusted(roots: []))
        #expect(isUntrusted(roots: [other.root]))
        #expect(isUntrusted(roots: [chain.intermediate]))
        #expect(isUntrusted(roots: [chain.leaf]))
        #expect(isUntrusted(intermediate: other.intermediate))
        #expect(isUntrusted(leaf: other.leaf))
        #expect(isUntrusted(leaf: other.leaf, intermediate: other.intermediate))
    }

    @Test("The path is the leaf, the issuer that is given, and a root, in this order")
    func otherPaths() throws {
        #expect(isUntrusted(leaf: chain.intermediate, intermediate: chain.leaf))
        #expect(isUntrusted(leaf: chain.root))
        #expect(isUntrusted(leaf: chain.intermediate))
        #expect(isUntrusted(intermediate: chain.root))
        // Each authority leads to a root, but the path must go over the one that is given.
        let twin = try CertificateMaker.make(
            subject: "Authority", key: chain.keys.intermediate, issuedBy: (chain.root, chain.keys.root),
            isAuthority: true, validFrom: TestChain.first, validTo: TestChain.last, serial: 9)
        #expect(!isUntrusted(intermediate: twin))
        #expect(isUntrusted(intermediate: twin, roots: [chain.intermediate, chain.root]))
        #expect(isUntrusted(intermediate: chain.root, roots: [twin, chain.root]))
        let direct = try CertificateMaker.make(
            subject: "Leaf", key: chain.keys.leaf, issuedBy: (chain.root, chain.keys.root), isAuthority: false,
            validFrom: TestChain.first, validTo: TestChain.last)
        #expect(isUntrusted(leaf: direct))
    }

    @Test("A certificate that is no authority issues nothing, and an authority under another issues no authority")
    func authorities() throws {
        let noAuthority = try CertificateMaker.make(
            subject: "Authority", key: chain.keys.intermediate, issuedBy: (chain.root, chain.keys.root),
            isAuthority: false, validFrom: TestChain.first, validTo: TestChain.last)
        let leaf = try CertificateMaker.make(
            subject: "Leaf", key: chain.keys.leaf, issuedBy: (noAuthority, chain.keys.intermediate),
            isAuthority: false, validFrom: TestChain.first, validTo: TestChain.last)
        #expect(isUntrusted(leaf: leaf, intermediate: noAuthority))
        let deeper = try CertificateMaker.make(
            subject: "Deeper", key: chain.keys.leaf, issuedBy: (chain.intermediate, chain.keys.intermediate),
            isAuthority: true, validFrom: TestChain.first, validTo: TestChain.last)
        #expect(isUntrusted(leaf: leaf, intermediate: deeper))
    }

    @Test("A chain can be checked on many threads at once")
    func threads() async throws {
        let (leaf, intermediate, root, time) = (chain.leaf, chain.intermediate, chain.root, time)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<20).allSatisfy { _ in
                        (try? CertificateChain.verify(leaf: leaf, intermediate: intermediate, roots: [root], at: time))
                            != nil
                    }
                }
            }
            for await isGood in group { #expect(isGood) }
        }
    }
}
