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
