/// The integers modulo a prime, each value kept in Montgomery form and fully reduced, so that equal values have equal
/// words.
///
/// Public data only: nothing here runs in constant time.
protocol PrimeField: Sendable, Equatable {
    /// How many bytes a value has.
    static var byteCount: Int { get }
    static var zero: Self { get }
    static var one: Self { get }

    /// A value out of its big-endian bytes; nil where it is not below the prime or there are too few bytes.
    init?(bigEndian bytes: UnsafeRawBufferPointer)

    /// The big-endian bytes of the value.
    var bigEndian: [UInt8] { get }

    /// The prime less two, big-endian: the exponent of Fermat's inversion.
    static var inversionExponent: [UInt8] { get }

    static func + (left: Self, right: Self) -> Self
    static func - (left: Self, right: Self) -> Self
    static func * (left: Self, right: Self) -> Self
    var squared: Self { get }
    var negated: Self { get }
    /// The value or its negative, without a jump.
    func negated(_ isNegated: Bool) -> Self
    /// The inverse in variable time; 0 for 0.
    var quickInverse: Self { get }
}

extension PrimeField {
    @inline(__always)
    var isZero: Bool { self == .zero }

    /// Twice the value.
    @inline(__always)
    var doubled: Self { self + self }

    /// The inverse by Fermat's little theorem, and 0 for 0.
    ///
    /// Slow: for building tables only.
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
