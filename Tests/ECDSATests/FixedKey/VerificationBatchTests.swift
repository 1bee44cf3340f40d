import TestSupport
import Testing

@testable import ECDSA

/// A batch says of every signature what it says of one alone, and what libcrypto says.
@Suite("Batches of signatures", .heavyWork)
struct VerificationBatchTests {
    private typealias Sample = (signature: [UInt8], digest: [UInt8])

    /// A key and signatures of every kind, with the verdicts on each alone.
    private struct Fixture {
        let fixed: any SignatureBackend
        var samples: [Sample] = []
        var verdicts: [Bool] = []

        init(_ curve: Curve) {
            do {
                let key = try SigningKey.generate(curve)
                fixed = try FixedKey.backend(curve, subjectPublicKeyInfo: key.publicKey.subjectPublicKeyInfo)
                for sample in try Self.samples(curve, key) {
                    let verdict = key.publicKey.key.isValid(signature: sample.signature, digest: sample.digest)
                    #expect(fixed.isValid(signature: sample.signature, digest: sample.digest) == verdict)
                    samples.append(sample)
                    verdicts.append(verdict)
                }
            } catch {
                preconditionFailure("no key: \(error)")
            }
        }

        private static func samples(_ curve: Curve, _ key: SigningKey) throws -> [Sample] {
            var random = SeededGenerator(seed: 23)
            var samples: [Sample] = []
            let n = curve.order
            let zeros = [UInt8](repeating: 0, count: 32)
            for number in 0..<8 {
                let message = random.bytes(number)
                let digest = SHA256.digest(message)
                let signature = try key.signature(of: message)
                let (r, s) = DER.numbers(signature)
                samples.append((signature, digest))
                samples.append((DER.signature(r, n - s), digest))
                samples.append((DER.signature(r, s + BigNumber(1)), digest))
                samples.append((signature, zeros))
            }
            let (signature, digest) = samples[0]
            let (r, s) = DER.numbers(signature)
            for edge in [BigNumber(0), BigNumber(1), n - BigNumber(1), n, n + BigNumber(1)] {
                samples.append((DER.signature(edge, s), digest))
                samples.append((DER.signature(r, edge), digest))
            }
            samples += [
                ([], digest), (signature.dropLast(), digest), (signature + [0], digest), ([0x30, 0x00], digest),
                (DER.signature(n - BigNumber(1), n - BigNumber(1)), [UInt8](repeating: 0xFF, count: 32)),
                (random.bytes(70), digest),
            ]
            samples += SignatureSample.samples(under: key.publicKey.key).map { ($0.signed.signature, $0.signed.digest) }
            samples.shuffle(using: &random)
            return samples
        }

        /// Expects the verdicts on so many signatures, taken in turn from one on.
        func expectSameVerdicts(count: Int, from start: Int) {
            let indices = (0..<count).map { (start + $0) % samples.count }
            #expect(
                fixed.areValid(indices.map { samples[$0] }) == indices.map { verdicts[$0] },
                "\(count) from \(start)")
        }
    }

    private static let p192 = Fixture(.p192)
    private static let p256 = Fixture(.p256)

    private func fixture(_ curve: Curve) -> Fixture { curve == .p192 ? Self.p192 : Self.p256 }

    @Test(
        "Batches of every size around the smallest and around whole chunks have the verdicts of single verifications",
        arguments: Curve.allCases)
    func sizes(_ curve: Curve) {
        let fixture = fixture(curve)
        #expect(fixture.verdicts.contains(true) && fixture.verdicts.contains(false))
        for count in 0...9 { fixture.expectSameVerdicts(count: count, from: 5 * count) }
        for count in [255, 256, 257] { fixture.expectSameVerdicts(count: count, from: count) }
    }

    @Test(
        "Batches with every kind of signature at every place have the verdicts of single verifications",
        arguments: Curve.allCases)
    func places(_ curve: Curve) {
        let fixture = fixture(curve)
        for start in fixture.samples.indices { fixture.expectSameVerdicts(count: 6, from: start) }
    }

    @Test(
        "Batches in which no signature or only one can be read have the verdicts of single verifications",
        arguments: Curve.allCases)
    func malformed(_ curve: Curve) throws {
        let fixture = fixture(curve)
        let digest = [UInt8](repeating: 1, count: 32)
        let nothing: [Sample] = [([], digest), ([0x30], digest), ([0x30, 0x00], digest), ([0xFF], digest)]
        #expect(fixture.fixed.areValid(nothing) == [false, false, false, false])
        let good = try #require(fixture.verdicts.firstIndex(of: true))
        let short: Sample = (fixture.samples[good].signature, [UInt8](digest.prefix(10)))
        let batch = nothing + [short, fixture.samples[good]]
        #expect(fixture.fixed.areValid(batch) == [false, false, false, false, false, true])
    }
}
