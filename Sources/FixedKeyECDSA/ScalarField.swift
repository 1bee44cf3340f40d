/// The integers modulo the order of a group, as ECDSA uses them.
protocol ScalarField: PrimeField {
    /// A value out of as many big-endian bytes as the order has, which may be at or above it, as a digest may; nil
    /// where there are more or fewer.
    init?(reducingBigEndian bytes: UnsafeRawBufferPointer)

    /// The value as signed digits of eight bits, −128…128, the lowest first, and whether the whole is to be negated.
    ///
    /// Of the value and its negative the one is taken that has no highest bit, so that the digits need no carry beyond
    /// the last.
    func signedDigits(_ digits: UnsafeMutableBufferPointer<Int16>) -> Bool
}

extension ScalarField {
    static var digitCount: Int { byteCount }

    /// Signed digits out of little-endian bytes whose highest bit is 0.
    @inline(__always)
    static func recode(_ byte: (Int) -> UInt8, _ digits: UnsafeMutableBufferPointer<Int16>) {
        var carry: Int16 = 0
        for index in 0..<digitCount {
            var digit = Int16(byte(index)) &+ carry
            carry = 0
            if digit > 128 {
                digit &-= 256
                carry = 1
            }
            digits[index] = digit
        }
    }
}
