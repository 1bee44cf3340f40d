/// ECDSA verification under one public key, with tables of its multiples and of those of the generator.
///
/// It is for public data only: nothing runs in constant time, so it must never sign.
/// Source: NIST FIPS 186-5, section 6.4.2.
struct FixedKeyVerifier<Curve: EllipticCurve>: Sendable {
    let generator: WindowTable<Curve>
    let key: WindowTable<Curve>

    /// Makes a verifier for the key with these big-endian coordinates; nil if they are not a point of the curve.
    ///
    /// - Parameter width: The bits of a window.
    init?(x: [UInt8], y: [UInt8], width: Int, generator: WindowTable<Curve>) {
        guard let x = x.withUnsafeBytes({ Curve.Field(bigEndian: $0) }),
            let y = y.withUnsafeBytes({ Curve.Field(bigEndian: $0) }),
            case let point = AffinePoint(x: x, y: y), Curve.contains(point)
        else { return nil }
        self.generator = generator
        key = WindowTable(point, width: width)
    }

    /// Whether one signature is this key's over its digest.
    func isValid(_ signed: SignedDigest) -> Bool {
        guard let numbers = SignatureNumbers<Curve>(signed) else { return false }
        let w = numbers.s.variableTimeInverse
        return numbers.match(sum(numbers.e * w, numbers.r * w))
    }

    /// u1 · G + u2 · Q.
    private func sum(_ u1: Curve.Scalar, _ u2: Curve.Scalar) -> ExtendedPoint<Curve.Field> {
        var sum = ExtendedPoint<Curve.Field>.infinity
        generator.add(u1, to: &sum)
        key.add(u2, to: &sum)
        return sum
    }
}
