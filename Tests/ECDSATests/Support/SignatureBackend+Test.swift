import Testing

@testable import ECDSA

extension SignatureBackend {
    /// The verdict on one signature.
    func isValid(signature: [UInt8], digest: [UInt8]) -> Bool {
        areValid([SignedDigest(signature: signature, digest: digest)]) == [true]
    }

    /// The verdicts on many.
    func areValid(_ signatures: [(signature: [UInt8], digest: [UInt8])]) -> [Bool] {
        areValid(signatures.map { SignedDigest(signature: $0.signature, digest: $0.digest) })
    }
}

extension FixedKey {
    /// The backend for a SubjectPublicKeyInfo, which ends in both coordinates.
    static func backend(_ curve: Curve, subjectPublicKeyInfo: [UInt8]) throws -> any SignatureBackend {
        let count = curve == .p192 ? 24 : 32
        let x = Array(subjectPublicKeyInfo.suffix(2 * count).prefix(count))
        let y = Array(subjectPublicKeyInfo.suffix(count))
        return try #require(backend(on: curve, x: x, y: y))
    }
}
