import Foundation
import TestSupport
import Testing

@testable import ECDSA

/// Edge cases of ECDSA over SHA-256 from C2SP Wycheproof, through the verifier that postbacks go through.
@Suite("Wycheproof", .heavyWork)
struct WycheproofTests {
    private struct File: Decodable {
        struct Group: Decodable {
            let publicKeyDer: String
            let publicKeyPem: String
            let tests: [Case]
        }

        struct Case: Decodable {
            let tcId: Int
            let comment: String
            let msg: String
            let sig: String
            let result: String
        }

        let numberOfTests: Int
        let testGroups: [Group]
    }

    @Test(
        "Every valid signature verifies, every other is refused",
        .enabled(if: VectorFile.isShared("wycheproof"), "the Wycheproof vectors are not here"),
        arguments: [("ecdsa_secp192r1_sha256_test.json", Curve.p192), ("ecdsa_secp256r1_sha256_test.json", Curve.p256)])
    func verify(_ name: String, _ curve: Curve) throws {
        let data = try Data(contentsOf: VectorFile.shared.appending(path: "wycheproof").appending(path: name))
        let file = try JSONDecoder().decode(File.self, from: data)
        var verdicts: [String: Int] = [:]
        for group in file.testGroups {
            let key = try VerificationKey(subjectPublicKeyInfo: [UInt8](hex: group.publicKeyDer))
            #expect(key.curve == curve)
            #expect(try VerificationKey(group.publicKeyPem).subjectPublicKeyInfo == key.subjectPublicKeyInfo)
            for test in group.tests {
                let verifies = try key.isValid(signature: [UInt8](hex: test.sig), for: [UInt8](hex: test.msg))
                // Neither file marks anything "acceptable" today. That mark is for legacy encodings, which a strict
                // reader of DER refuses, so anything but "valid" must be false.
                #expect(verifies == (test.result == "valid"), "\(name) \(test.tcId): \(test.comment)")
                verdicts[test.result, default: 0] += 1
            }
        }
        #expect(verdicts.values.reduce(0, +) == file.numberOfTests)
        #expect((verdicts["valid"] ?? 0) > 100 && (verdicts["invalid"] ?? 0) > 100)
    }

    /// Making a key's table takes a second without optimisation, so that only some of the keys are tried here.
    @Test(
        "The fast verifier gives libcrypto's verdicts, for one key in ten and for those with many vectors",
        .enabled(if: VectorFile.isShared("wycheproof"), "the Wycheproof vectors are not here"),
        arguments: ["ecdsa_secp192r1_sha256_test.json", "ecdsa_secp256r1_sha256_test.json"])
    func prepared(_ name: String) throws {
        let data = try Data(contentsOf: VectorFile.shared.appending(path: "wycheproof").appending(path: name))
        let file = try JSONDecoder().decode(File.self, from: data)
        var count = 0
        for (number, group) in file.testGroups.enumerated() where number % 10 == 0 || group.tests.count > 20 {
            let plain = try VerificationKey(subjectPublicKeyInfo: [UInt8](hex: group.publicKeyDer))
            let key = try #require(plain.verifying(with: FixedKey.backend))
            for test in group.tests {
                let verifies = try key.isValid(signature: [UInt8](hex: test.sig), for: [UInt8](hex: test.msg))
                #expect(verifies == (test.result == "valid"), "\(name) \(test.tcId): \(test.comment)")
            }
            count += group.tests.count
        }
        #expect(count > 100)
    }

    @Test(
        "Signatures as R and S, as in a JWS, have the same verdicts",
        .enabled(if: VectorFile.isShared("wycheproof"), "the Wycheproof vectors are not here"))
    func concatenated() throws {
        let name = "wycheproof/ecdsa_secp256r1_sha256_test.json"
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: VectorFile.shared.appending(path: name)))
        var verdicts: [Bool: Int] = [:]
        for group in file.testGroups {
            let key = try VerificationKey(subjectPublicKeyInfo: [UInt8](hex: group.publicKeyDer))
            for test in group.tests {
                let der = try [UInt8](hex: test.sig)
                // What is broken in its encoding has no other form.
                guard let concatenated = ECDSASignature.concatenated(der: der),
                    let back = ECDSASignature.der(concatenated: concatenated), back == der
                else {
                    #expect(test.result != "valid", "\(test.tcId): \(test.comment)")
                    continue
                }
                let verifies = try key.isValid(signature: back, for: [UInt8](hex: test.msg))
                #expect(verifies == (test.result == "valid"), "\(test.tcId): \(test.comment)")
                verdicts[verifies, default: 0] += 1
            }
        }
        #expect((verdicts[true] ?? 0) > 100 && (verdicts[false] ?? 0) > 20)
    }
}
