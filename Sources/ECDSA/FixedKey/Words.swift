/// Arithmetic on 64-bit words with carries, in the forms that the compiler turns into single instructions.
enum Words {
    /// The low word of `a · b + sum + carry`, with the high word as the next carry.
    ///
    /// It never overflows 128 bits.
    @inline(__always)
    static func multiplyAdd(_ a: UInt64, _ b: UInt64, _ sum: UInt64, _ carry: inout UInt64) -> UInt64 {
        let result =
            UInt128(truncatingIfNeeded: a) &* UInt128(truncatingIfNeeded: b)
            &+ UInt128(truncatingIfNeeded: sum) &+ UInt128(truncatingIfNeeded: carry)
        carry = UInt64(truncatingIfNeeded: result &>> 64)
        return UInt64(truncatingIfNeeded: result)
    }

    /// The high and the low word of `a · b`.
    @inline(__always)
    static func product(_ a: UInt64, _ b: UInt64) -> (high: UInt64, low: UInt64) {
        let result = UInt128(truncatingIfNeeded: a) &* UInt128(truncatingIfNeeded: b)
        return (UInt64(truncatingIfNeeded: result &>> 64), UInt64(truncatingIfNeeded: result))
    }

    /// `a + b + carry`, a carry of 0 or 1 in and out.
    @inline(__always)
    static func add(_ a: UInt64, _ b: UInt64, _ carry: inout UInt64) -> UInt64 {
        let result =
            UInt128(truncatingIfNeeded: a) &+ UInt128(truncatingIfNeeded: b)
            &+ UInt128(truncatingIfNeeded: carry)
        carry = UInt64(truncatingIfNeeded: result &>> 64)
        return UInt64(truncatingIfNeeded: result)
    }

    /// `a − b − borrow`, a borrow of 0 or 1 in and out.
    @inline(__always)
    static func subtract(_ a: UInt64, _ b: UInt64, _ borrow: inout UInt64) -> UInt64 {
        let result =
            UInt128(truncatingIfNeeded: a) &- UInt128(truncatingIfNeeded: b)
            &- UInt128(truncatingIfNeeded: borrow)
        borrow = UInt64(truncatingIfNeeded: result &>> 64) & 1
        return UInt64(truncatingIfNeeded: result)
    }
}
