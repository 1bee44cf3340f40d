import Testing

@testable import ECDSA

extension FixedKey {
    /// The key of a SubjectPublicKeyInfo, which ends in both coordinates.
    init(_ curve: Curve, subjectPublicKeyInfo: [UInt8]) throws {
        let count = curve == .p192 ? 24 : 32
        let x = Array(subjectPublicKeyInfo.suffix(2 * count).prefix(count))
        let y = Array(subjectPublicKeyInfo.suffix(count))
        self = try #require(curve == .p192 ? FixedKey(p192x: x, y: y) : FixedKey(p256x: x, y: y))
    }
}
