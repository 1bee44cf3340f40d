/// The integers modulo a prime.
///
/// Values are in Montgomery form and fully reduced, so equal values have equal words.
///
/// It is for public data only: nothing here runs in constant time.
protocol PrimeField: Sendable, Equatable {
    /// The number of bytes of a value.
    static var byteCount: Int { get }
    static var zero: Self { get }
    static var one: Self { get }

    /// Reads a value from big-endian bytes; nil if it is not below the prime, or if there are too few bytes.
    init?(bigEndian bytes: UnsafeRawBufferPointer)

    /// The big-endian bytes of the value.
    var bigEndian: [UInt8] { get }

    /// The prime minus two, big-endian: the exponent of Fermat's inversion.
    static var inversionExponent: [UInt8] { get }

    static func + (left: Self, right: Self) -> Self
    static func - (left: Self, right: Self) -> Self
    static func * (left: Self, right: Self) -> Self
    var squared: Self { get }
    var negated: Self { get }
    /// The value or its negative, without a branch.
    func negated(_ isNegated: Bool) -> Self
    /// The inverse in variable time; 0 for 0.
    var variableTimeInverse: Self { get }
}

extension PrimeField {
    @inline(__always)
    var isZero: Bool { self == .zero }

    /// Twice the value.
    @inline(__always)
    var doubled: Self { self + self }

    /// The inverse by Fermat's little theorem, and 0 for 0.
    ///
    /// It is slow, and for building tables only.
    var inverse: Self {
        var result = Self.one
        for byte in Self.inversionExponent {
            for bit in (0..<8).reversed() {
                result = result.squared
                if byte >> UInt8(bit) & 1 == 1 { result = result * self }
            }
        }
        return result
    }
}

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
