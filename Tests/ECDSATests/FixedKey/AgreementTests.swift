import TestSupport
import Testing

@testable import ECDSA

/// The fast verifier and libcrypto say the same of every signature.
@Suite("The fast verifier and libcrypto agree", .heavyWork)
struct AgreementTests {
    private struct Verifiers {
        let key: EVPKey
        let fast: any SignatureBackend

        func expectAgreement(_ signature: [UInt8], _ digest: [UInt8], _ what: String, is expected: Bool? = nil) {
            let reference = key.isValid(signature: signature, digest: digest)
            #expect(fast.isValid(signature: signature, digest: digest) == reference, "\(what)")
            if let expected { #expect(reference == expected, "\(what)") }
        }
    }

    @Test("Both verifiers agree about random signatures and small changes of them", arguments: Curve.allCases)
    func random(_ curve: Curve) throws {
        let key = try SigningKey.generate(curve)
        let verifiers = Verifiers(key: key.publicKey.key, fast: try #require(FixedKey.backend(for: key.publicKey)))
        var random = SeededGenerator(seed: 11)
        for number in 0..<60 {
            let message = random.bytes(number)
            let signature = try key.signature(of: message)
            let digest = SHA256.digest(message)
            verifiers.expectAgreement(signature, digest, "genuine", is: true)
            let (r, s) = DER.numbers(signature)
            let n = curve.order
            // (r, n − s) is good too.
            verifiers.expectAgreement(DER.signature(r, n - s), digest, "negated s", is: true)
            verifiers.expectAgreement(DER.signature(s, r), digest, "swapped")
            verifiers.expectAgreement(DER.signature(r + BigNumber(1), s), digest, "r + 1", is: false)
            verifiers.expectAgreement(DER.signature(r, s + BigNumber(1)), digest, "s + 1", is: false)
            verifiers.expectAgreement(DER.signature(r + n, s), digest, "r + n", is: false)
            verifiers.expectAgreement(DER.signature(r, s + n), digest, "s + n", is: false)
            var other = signature
            other[Int.random(in: 0..<signature.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            verifiers.expectAgreement(other, digest, "a bit of the signature")
            var otherDigest = digest
            otherDigest[Int.random(in: 0..<24, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            verifiers.expectAgreement(signature, otherDigest, "a bit of the digest", is: false)
        }
    }

    @Test("Both verifiers agree about r and s at every edge, and digests of zeros and ones", arguments: Curve.allCases)
    func edges(_ curve: Curve) throws {
        let key = try SigningKey.generate(curve)
        let verifiers = Verifiers(key: key.publicKey.key, fast: try #require(FixedKey.backend(for: key.publicKey)))
        let n = curve.order
        let p = curve.prime
        var edges = [0, 1, 2, 3].map { BigNumber($0) }
        for base in [n, p] { edges += [-2, -1, 0, 1, 2].map { base + BigNumber($0) } }
        let count = curve == .p192 ? 24 : 32
        edges.append(BigNumber(bigEndian: [UInt8](repeating: 0xFF, count: count)))
        edges.append(BigNumber(bigEndian: [1] + [UInt8](repeating: 0, count: count)))
        edges.append(BigNumber(bigEndian: [0x80] + [UInt8](repeating: 0, count: count - 1)))
        for digest in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32)] {
            for r in edges {
                for s in edges { verifiers.expectAgreement(DER.signature(r, s), digest, "edges") }
            }
        }
        // A digest of n is one of 0: u1 is 0, and R a multiple of the key alone.
        let samples = SignatureSample.samples(under: verifiers.key)
        #expect(samples.count == 4)
        for sample in samples {
            verifiers.expectAgreement(sample.signed.signature, sample.signed.digest, "sample", is: true)
        }
    }

    @Test("Both verifiers agree about wrong DER and bytes that are not DER", arguments: Curve.allCases)
    func encodings(_ curve: Curve) throws {
        let key = try SigningKey.generate(curve)
        let verifiers = Verifiers(key: key.publicKey.key, fast: try #require(FixedKey.backend(for: key.publicKey)))
        let message = Array("encodings".utf8)
        let digest = SHA256.digest(message)
        let good = try key.signature(of: message)
        var random = SeededGenerator(seed: 5)
        verifiers.expectAgreement([], digest, "nothing", is: false)
        for length in 0..<good.count { verifiers.expectAgreement(Array(good[..<length]), digest, "cut", is: false) }
        verifiers.expectAgreement(good + [0], digest, "trailing", is: false)
        verifiers.expectAgreement([0x30, 0x81] + good[1...], digest, "long length", is: false)
        verifiers.expectAgreement(
            [0x30, good[1] + 1, 2, good[3] + 1, 0] + good[4...], digest, "needless zero", is: false)
        for index in good.indices {
            for _ in 0..<6 {
                var other = good
                other[index] = UInt8.random(in: 0...255, using: &random)
                verifiers.expectAgreement(other, digest, "byte \(index)")
            }
        }
        for _ in 0..<200 {
            verifiers.expectAgreement(random.bytes(Int.random(in: 0..<150, using: &random)), digest, "random")
        }
    }

    @Test("Both verifiers agree about sums of equal points, of opposite points, and points with an x above the order")
    func rarePoints() throws {
        for curve in Curve.allCases {
            try RareSignatures.check(curve)
        }
    }
}
