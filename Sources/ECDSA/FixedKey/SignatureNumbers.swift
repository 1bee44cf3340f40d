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

/// An ECDSA signature from DER: a SEQUENCE of two INTEGERs, not negative and not longer than needed.
///
/// It refuses what libcrypto refuses: trailing bytes, lengths in a longer form, unneeded zeros.
/// Source: ITU-T X.690, sections 8.3 and 10.1.
struct DERSignature {
    private let r: Range<Int>
    private let s: Range<Int>

    /// Finds r and s, without the zero that keeps an INTEGER from being negative; nil if the bytes are not DER.
    init?(_ bytes: UnsafeRawBufferPointer) {
        // Signatures of both curves are shorter than 128 bytes, so every length is one byte.
        guard bytes.count >= 2, bytes[0] == 0x30, bytes[1] < 0x80, Int(bytes[1]) == bytes.count - 2,
            let r = Self.integer(bytes, at: 2), let s = Self.integer(bytes, at: r.upperBound),
            s.upperBound == bytes.count
        else { return nil }
        self.r = r
        self.s = s
    }

    private static func integer(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Range<Int>? {
        guard bytes.count >= start + 3, bytes[start] == 0x02, case let length = Int(bytes[start + 1]), length > 0,
            length < 0x80, case let first = start + 2, first + length <= bytes.count
        else { return nil }
        guard bytes[first] < 0x80 else { return nil }
        guard bytes[first] == 0, length > 1 else { return first..<first + length }
        return bytes[first + 1] < 0x80 ? nil : first + 1..<first + length
    }

    /// Calls a body with r and s as big-endian bytes of a given size; nil if one of them is longer.
    func withIntegers<Result>(
        of bytes: UnsafeRawBufferPointer, count: Int,
        _ body: (_ r: UnsafeRawBufferPointer, _ s: UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        guard r.count <= count, s.count <= count else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 2 * count, alignment: 8) { buffer in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            for (place, range) in [(count - r.count, r), (2 * count - s.count, s)] {
                UnsafeMutableRawBufferPointer(rebasing: buffer[place...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
            }
            let both = UnsafeRawBufferPointer(buffer)
            return body(
                UnsafeRawBufferPointer(rebasing: both[..<count]), UnsafeRawBufferPointer(rebasing: both[count...]))
        }
    }
}
