import AdAttribution
import ArgumentParser
import Dispatch
import Foundation
import Synchronization

/// `bench agree`: the fast verifier held against libcrypto, on random signatures and near-misses, and on Wycheproof.
struct AgreeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agree",
        abstract: "Hold the fast verifier against libcrypto; exits with 1 at the first disagreement.",
        discussion: """
            Signs random messages under fresh keys, and asks both verifiers about each signature and about two near-misses: \
            the same with one bit of the signature or of the message changed. The fast one is asked one by one and side \
            by side. FILEs are of C2SP Wycheproof, testvectors_v1/ecdsa_secp192r1_sha256_test.json and \
            …secp256r1….
            """)

    @Option(name: .long, help: "How many signatures a curve; each is asked about three times.")
    var count = 1_000_000

    @Argument(help: "Files of Wycheproof.")
    var files: [String] = []

    private static let signaturesOfKey = 10_000

    func run() throws {
        for curve in Curve.allCases where count > 0 {
            let verdicts = Atomic<Int>(0)
            let good = Atomic<Int>(0)
            let failure = Mutex<(any Error)?>(nil)
            let keys = (count + Self.signaturesOfKey - 1) / Self.signaturesOfKey
            DispatchQueue.concurrentPerform(iterations: keys) { index in
                do {
                    let tally = try check(curve, count: min(Self.signaturesOfKey, count - index * Self.signaturesOfKey))
                    verdicts.add(tally.verdicts, ordering: .relaxed)
                    good.add(tally.good, ordering: .relaxed)
                } catch {
                    failure.withLock { $0 = error }
                }
            }
            if let error = failure.withLock({ $0 }) { throw error }
            print(
                "\(curve): \(verdicts.load(ordering: .relaxed)) verdicts agree, \(good.load(ordering: .relaxed)) of them good"
            )
        }
        for file in files { try check(wycheproof: file) }
    }

    private func check(_ curve: Curve, count: Int) throws -> (verdicts: Int, good: Int) {
        let signing = try SigningKey.generate(curve)
        let plain = signing.publicKey
        guard let fast = plain.verifying(with: FixedKey.backend) else { throw BenchError.setUp }
        var random = SystemRandomNumberGenerator()
        var cases: [(signature: [UInt8], message: [UInt8])] = []
        for _ in 0..<count {
            let message = (0..<8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
            let signature = try signing.signature(of: message)
            cases.append((signature, message))
            for isOfMessage in [false, true] {
                var (signature, message) = (signature, message)
                let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
                if isOfMessage {
                    message[Int.random(in: message.indices, using: &random)] ^= bit
                } else {
                    signature[Int.random(in: signature.indices, using: &random)] ^= bit
                }
                cases.append((signature, message))
            }
        }
        let reference = cases.map { plain.isValid(signature: $0.signature, for: $0.message) }
        guard cases.map({ fast.isValid(signature: $0.signature, for: $0.message) }) == reference,
            fast.areValid(cases.map { SignedDigest(signature: $0.signature, message: $0.message) }) == reference,
            reference.count(where: \.self) >= count
        else { throw BenchError.wrongResult }
        return (reference.count, reference.count(where: \.self))
    }

    private struct Wycheproof: Decodable {
        struct Group: Decodable {
            let publicKeyPem: String
            let tests: [Case]
        }

        struct Case: Decodable {
            let tcId: Int
            let msg: String
            let sig: String
            let result: String
        }

        let testGroups: [Group]
    }

    private func check(wycheproof path: String) throws {
        let file = try JSONDecoder().decode(
            Wycheproof.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        var count = 0
        for group in file.testGroups {
            let plain = try VerificationKey(group.publicKeyPem)
            guard let fast = plain.verifying(with: FixedKey.backend) else { throw BenchError.setUp }
            let cases = group.tests.map { (signature: Self.bytes($0.sig), message: Self.bytes($0.msg)) }
            let together = fast.areValid(cases.map { SignedDigest(signature: $0.signature, message: $0.message) })
            for (index, test) in group.tests.enumerated() {
                let expected = test.result == "valid"
                let (signature, message) = cases[index]
                guard plain.isValid(signature: signature, for: message) == expected,
                    fast.isValid(signature: signature, for: message) == expected, together[index] == expected
                else {
                    print("\(path): test \(test.tcId) has another verdict")
                    throw BenchError.wrongResult
                }
                count += 1
            }
        }
        print("\(path): \(count) vectors have their verdict")
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        stride(from: 0, to: hexadecimal.utf8.count - 1, by: 2).compactMap { offset in
            UInt8(hexadecimal.dropFirst(offset).prefix(2), radix: 16)
        }
    }
}
