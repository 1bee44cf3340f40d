/// ECDSA verification under one public key whose multiples, and those of the generator, were computed once.
///
/// Public data only: nothing runs in constant time, and nothing here may ever sign.
/// Source: NIST FIPS 186-5, section 6.4.2.
struct FixedKeyVerifier<Curve: EllipticCurve>: Sendable {
    private let generator: WindowTable<Curve>
    private let key: WindowTable<Curve>

    /// A verifier for the key at these coordinates, big-endian; nil where they are no point of the curve.
    init?(x: [UInt8], y: [UInt8], generator: WindowTable<Curve>) {
        guard let x = x.withUnsafeBytes({ Curve.Field(bigEndian: $0) }),
            let y = y.withUnsafeBytes({ Curve.Field(bigEndian: $0) }),
            case let point = AffinePoint(x: x, y: y), Curve.contains(point)
        else { return nil }
        self.generator = generator
        key = WindowTable(point)
    }

    /// Whether r and s, big-endian and as long as the order, sign a digest of 32 bytes.
    func isValid(r: UnsafeRawBufferPointer, s: UnsafeRawBufferPointer, digest: UnsafeRawBufferPointer) -> Bool {
        let count = Curve.Scalar.byteCount
        guard digest.count >= count, let rScalar = Curve.Scalar(bigEndian: r), !rScalar.isZero,
            let sScalar = Curve.Scalar(bigEndian: s), !sScalar.isZero
        else { return false }
        // The leftmost bits of the digest, as many as the order has.
        let leftmost = UnsafeRawBufferPointer(rebasing: digest[..<count])
        guard let e = Curve.Scalar(reducingBigEndian: leftmost) else { return false }
        let w = sScalar.quickInverse
        let sum = self.sum(e * w, rScalar * w)
        guard !sum.isInfinity else { return false }
        // x(R) ≡ r modulo n without an inversion: X = r · ZZ, or (r + n) · ZZ where r + n is still in the field.
        guard let candidate = Curve.Field(bigEndian: r) else { return false }
        if candidate * sum.zz == sum.x { return true }
        return Self.isBelowPrimeLessOrder(r) && (candidate + Curve.order) * sum.zz == sum.x
    }

    /// u1 · G + u2 · Q.
    private func sum(_ u1: Curve.Scalar, _ u2: Curve.Scalar) -> ExtendedPoint<Curve.Field> {
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: Curve.Scalar.digitCount) { digits in
            var sum = ExtendedPoint<Curve.Field>.infinity
            var isNegated = u1.signedDigits(digits)
            generator.add(digits, isNegated: isNegated, to: &sum)
            isNegated = u2.signedDigits(digits)
            key.add(digits, isNegated: isNegated, to: &sum)
            return sum
        }
    }

    /// Whether r + n is still below the field's prime.
    private static func isBelowPrimeLessOrder(_ r: UnsafeRawBufferPointer) -> Bool {
        for (left, right) in zip(r, Curve.primeLessOrder) where left != right { return left < right }
        return false
    }
}
