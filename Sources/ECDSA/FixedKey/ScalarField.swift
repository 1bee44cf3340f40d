/// The integers modulo the order of a group, as ECDSA uses them.
protocol ScalarField: PrimeField {
    /// Reads a value from as many big-endian bytes as the order has; nil if there are more or fewer.
    ///
    /// The number may be equal to the order or above it, like a digest.
    init?(reducingBigEndian bytes: UnsafeRawBufferPointer)

    /// Writes the value or its negative as signed digits −2^(width−1)…2^(width−1), lowest first.
    ///
    /// Of the two it takes the one without the highest bit, so that there is no carry after the last digit.
    /// - Returns: Whether the digits are those of the negative.
    func signedDigits(_ digits: UnsafeMutableBufferPointer<Int16>, width: Int) -> Bool
}

extension ScalarField {
    /// Signed digits from little-endian bytes whose highest bit is 0.
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
