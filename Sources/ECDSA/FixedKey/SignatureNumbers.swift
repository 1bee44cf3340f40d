/// The numbers of a signature and a digest, each in its range.
///
/// Source: NIST FIPS 186-5, section 6.4.2.
struct SignatureNumbers<Curve: EllipticCurve> {
    let r: Curve.Scalar
    let s: Curve.Scalar
    /// The leftmost bits of the digest, as many as the order has.
    let e: Curve.Scalar
    /// r as a coordinate.
    private let x: Curve.Field
    /// Whether r + n is below the field's prime too, so that it is another coordinate with the remainder r.
    private let hasOtherX: Bool

    /// The numbers of a signature and its digest; nil if no key could have made them.
    init?(_ signed: SignedDigest) {
        guard signed.digest.count == 32 else { return nil }
        let numbers = signed.signature.withUnsafeBytes { signature -> Self? in
            signed.digest.withUnsafeBytes { digest in
                DERSignature(signature)?.withIntegers(of: signature, count: Curve.Scalar.byteCount) { r, s in
                    Self(r: r, s: s, digest: digest)
                } ?? nil
            }
        }
        guard let numbers else { return nil }
        self = numbers
    }

    /// Takes r and s, big-endian and as long as the order.
    private init?(r: UnsafeRawBufferPointer, s: UnsafeRawBufferPointer, digest: UnsafeRawBufferPointer) {
        let count = Curve.Scalar.byteCount
        guard digest.count >= count, let rScalar = Curve.Scalar(bigEndian: r), !rScalar.isZero,
            let sScalar = Curve.Scalar(bigEndian: s), !sScalar.isZero,
            let e = Curve.Scalar(reducingBigEndian: UnsafeRawBufferPointer(rebasing: digest[..<count])),
            let x = Curve.Field(bigEndian: r)
        else { return nil }
        self.r = rScalar
        self.s = sScalar
        self.e = e
        self.x = x
        hasOtherX = Self.isBelowPrimeLessOrder(r)
    }

    /// Whether the x of a sum has the remainder r modulo n.
    func match(_ sum: AffinePoint<Curve.Field>) -> Bool {
        guard !sum.isInfinity else { return false }
        return x == sum.x || hasOtherX && x + Curve.order == sum.x
    }

    /// Whether the x of a sum has the remainder r modulo n, without an inversion: X = r · ZZ, or (r + n) · ZZ.
    func match(_ sum: ExtendedPoint<Curve.Field>) -> Bool {
        guard !sum.isInfinity else { return false }
        return x * sum.zz == sum.x || hasOtherX && (x + Curve.order) * sum.zz == sum.x
    }

    /// Whether r + n is still below the field's prime.
    private static func isBelowPrimeLessOrder(_ r: UnsafeRawBufferPointer) -> Bool {
        for (left, right) in zip(r, Curve.primeLessOrder) where left != right { return left < right }
        return false
    }
}
