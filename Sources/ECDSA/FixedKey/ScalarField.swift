/// The integers modulo the order of a group, as ECDSA uses them.
protocol ScalarField: PrimeField {
    /// A value out of as many big-endian bytes as the order has, which may be at or above it, as a digest may; nil
    /// where there are more or fewer.
    init?(reducingBigEndian bytes: UnsafeRawBufferPointer)

    /// The value as signed digits of so many bits, −2^(width−1)…2^(width−1), the lowest first, and whether the whole is to
    /// be negated.
    ///
    /// Of the value and its negative the one is taken that has no highest bit, so that the digits need no carry beyond
    /// the last.
    func signedDigits(_ digits: UnsafeMutableBufferPointer<Int16>, width: Int) -> Bool
}

extension ScalarField {
    /// Signed digits out of little-endian bytes whose highest bit is 0.
    @inline(__always)
    static func recode(_ byte: (Int) -> UInt8, _ digits: UnsafeMutableBufferPointer<Int16>, width: Int) {
        let highest = 1 &<< (width &- 1)
        var carry = 0
        for index in digits.indices {
            let bit = index &* width
            // Three bytes hold any window of up to 17 bits.
            var bits = 0
            for offset in 0..<3 where bit / 8 + offset < byteCount {
                bits |= Int(byte(bit / 8 + offset)) &<< (8 &* offset)
            }
            var digit = (bits &>> (bit % 8)) & (2 &* highest &- 1) &+ carry
            carry = 0
            if digit > highest {
                digit &-= 2 &* highest
                carry = 1
            }
            digits[index] = Int16(truncatingIfNeeded: digit)
        }
    }
}
