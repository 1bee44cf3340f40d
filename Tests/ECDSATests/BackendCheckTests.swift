import Synchronization
import TestSupport
import Testing

@testable import ECDSA

/// The check that a backend passes before it verifies under a key.
@Suite("The check of a backend", .heavyWork)
struct BackendCheckTests {
    /// What can be wrong with a backend.
    enum Fault: CaseIterable, Sendable {
        case saysYesToBatches, saysYesToOne, saysYes
        case saysNoToBatches, saysNoToOne, saysNo
        /// As a comparison that stops at the first lane would.
        case saysOfAllWhatItSaysOfTheFirst
        case saysYesFromTheFifthOn
        case mixesUpTheOrder, forgetsTheLast, saysOneTooMany
    }

    /// libcrypto with a fault.
    private struct Faulty: SignatureBackend {
        let sound: any SignatureBackend
        let fault: Fault

        func areValid(_ signatures: [SignedDigest]) -> [Bool] {
            let verdicts = sound.areValid(signatures)
            let isBatch = verdicts.count > 1
            return switch fault {
            case .saysYesToBatches: isBatch ? verdicts.map { _ in true } : verdicts
            case .saysYesToOne: isBatch ? verdicts : verdicts.map { _ in true }
            case .saysYes: verdicts.map { _ in true }
            case .saysNoToBatches: isBatch ? verdicts.map { _ in false } : verdicts
            case .saysNoToOne: isBatch ? verdicts : verdicts.map { _ in false }
            case .saysNo: verdicts.map { _ in false }
            case .saysOfAllWhatItSaysOfTheFirst: verdicts.map { _ in verdicts.first ?? false }
            case .saysYesFromTheFifthOn: verdicts.enumerated().map { $0.offset >= 4 || $0.element }
            case .mixesUpTheOrder: verdicts.reversed()
            case .forgetsTheLast: isBatch ? verdicts.dropLast() : verdicts
            case .saysOneTooMany: verdicts + [false]
            }
        }
    }

    @Test("A backend with a fault is refused, in the batch path too", arguments: Curve.allCases, Fault.allCases)
    func faults(_ curve: Curve, _ fault: Fault) throws {
        let key = try SigningKey.generate(curve).publicKey
        #expect(key.verifying { Faulty(sound: $0.key, fault: fault) } == nil)
    }

    @Test("libcrypto and fixed keys pass, and the key then verifies with the backend", arguments: Curve.allCases)
    func sound(_ curve: Curve) throws {
        let signing = try SigningKey.generate(curve)
        let signature = try signing.signature(of: [1])
        for backend in [{ $0.key }, FixedKey.backend] as [(VerificationKey) -> (any SignatureBackend)?] {
            let key = try #require(signing.publicKey.verifying(with: backend))
            #expect(key.isValid(signature: signature, for: [1]))
            #expect(!key.isValid(signature: signature, for: [2]))
        }
        #expect(signing.publicKey.verifying { _ in nil } == nil)
        // A backend for another key is as bad as a faulty one.
        let other = try SigningKey.generate(curve).publicKey.key
        #expect(signing.publicKey.verifying { _ in other } == nil)
    }

    @Test("A check of fewer than four samples fails", arguments: Curve.allCases)
    func fewSamples(_ curve: Curve) throws {
        let key = try SigningKey.generate(curve).publicKey.key
        let samples = SignatureSample.samples(under: key)
        #expect(samples.count == 4)
        #expect(BackendCheck.passes(key, reference: key, samples: samples))
        for count in 0..<4 {
            #expect(!BackendCheck.passes(key, reference: key, samples: Array(samples.prefix(count))))
        }
    }

    @Test("A sample that libcrypto refuses fails the check, whatever the backend says")
    func badSample() throws {
        let key = try SigningKey.generate().publicKey.key
        var samples = SignatureSample.samples(under: key)
        samples[2] = SignatureSample(signed: try #require(samples[2].corrupted.first))
        #expect(!BackendCheck.passes(Faulty(sound: key, fault: .saysYes), reference: key, samples: samples))
        #expect(!BackendCheck.passes(key, reference: key, samples: samples))
    }

    @Test("Each sample is asked about alone and in batches, good and corrupted")
    func whatIsAsked() throws {
        let counting = Counting()
        _ = try SigningKey.generate().publicKey.verifying { key in
            counting.sound.withLock { $0 = key.key }
            return counting
        }
        #expect(counting.sizes.withLock(\.self) == [Int](repeating: 1, count: 16) + [16, 16, 4, 12])
    }

    private final class Counting: SignatureBackend {
        let sound = Mutex<(any SignatureBackend)?>(nil)
        let sizes = Mutex<[Int]>([])

        func areValid(_ signatures: [SignedDigest]) -> [Bool] {
            sizes.withLock { $0.append(signatures.count) }
            return sound.withLock(\.self)?.areValid(signatures) ?? []
        }
    }
}
