/// A prime of 3 words, the lowest first, and what Montgomery's form needs of it.
protocol Modulus3: Sendable {
    static var m0: UInt64 { get }
    static var m1: UInt64 { get }
    static var m2: UInt64 { get }
    /// −1 / m modulo 2^64.
    static var negatedInverse: UInt64 { get }
    /// R modulo m, R being 2^192.
    static var one: Residue3<Self> { get }
    /// R² modulo m.
    static var square: Residue3<Self> { get }
    /// m − 2, big-endian.
    static var inversionExponent: [UInt8] { get }
    /// Inversion modulo m.
    static var inversion: ModularInverse { get }
    /// The words plus the multiple of m that makes the lower half 0, without that half; and a carry.
    ///
    /// The result is below 2m where the words are below m · R.
    static func reduce(
        _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ t5: UInt64
    ) -> (UInt64, UInt64, UInt64, carry: UInt64)
}

extension Modulus3 {
    @inline(__always)
    static func reduce(
        _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ t5: UInt64
    ) -> (UInt64, UInt64, UInt64, carry: UInt64) {
        var carry: UInt64 = 0
        let (a1, a2, a3) = reduceWord(t0, t1, t2, t3, &carry)
        let (b2, b3, b4) = reduceWord(a1, a2, a3, t4, &carry)
        let (c3, c4, c5) = reduceWord(b2, b3, b4, t5, &carry)
        return (c3, c4, c5, carry)
    }

    /// The same for one word, the carry going in and out above the highest one.
    @inline(__always)
    private static func reduceWord(
        _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ carry: inout UInt64
    ) -> (UInt64, UInt64, UInt64) {
        let factor = t0 &* negatedInverse
        var high: UInt64 = 0
        _ = Words.multiplyAdd(factor, m0, t0, &high)
        let r1 = Words.multiplyAdd(factor, m1, t1, &high)
        let r2 = Words.multiplyAdd(factor, m2, t2, &high)
        return (r1, r2, Words.add(t3, high, &carry))
    }
}

/// An integer modulo a prime of 3 words.
struct Residue3<Modulus: Modulus3>: PrimeField {
    fileprivate var w0: UInt64
    fileprivate var w1: UInt64
    fileprivate var w2: UInt64

    @inline(__always)
    init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64) {
        self.w0 = w0
        self.w1 = w1
        self.w2 = w2
    }

    static var byteCount: Int { 24 }
    static var zero: Self { Self(0, 0, 0) }
    static var one: Self { Modulus.one }
    static var inversionExponent: [UInt8] { Modulus.inversionExponent }

    init?(bigEndian bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        let w0 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let w1 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let w2 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        var borrow: UInt64 = 0
        _ = Words.subtract(w0, Modulus.m0, &borrow)
        _ = Words.subtract(w1, Modulus.m1, &borrow)
        _ = Words.subtract(w2, Modulus.m2, &borrow)
        guard borrow == 1 else { return nil }
        self = Self(w0, w1, w2) * Modulus.square
    }

    /// A value out of words that need not be below the modulus, but below twice it, as every number
    /// of so many words is.
    init(reducing words: (UInt64, UInt64, UInt64)) {
        self = Self.subtractingModulus(words.0, words.1, words.2, carry: 0) * Modulus.square
    }

    /// The words of the value itself, out of Montgomery's form.
    var words: (UInt64, UInt64, UInt64) {
        let plain = self * Self(1, 0, 0)
        return (plain.w0, plain.w1, plain.w2)
    }

    var bigEndian: [UInt8] {
        let words = words
        return [words.2, words.1, words.0].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    /// Subtracts the modulus once if the words, with a carry above them, are not below it.
    @inline(__always)
    private static func subtractingModulus(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, carry: UInt64) -> Self {
        // Adding 2^192 less the modulus: the compiler is better at carries than at borrows.
        var above: UInt64 = 0
        let d0 = Words.add(w0, 0 &- Modulus.m0, &above)
        let d1 = Words.add(w1, ~Modulus.m1, &above)
        let d2 = Words.add(w2, ~Modulus.m2, &above)
        // Keeps the words only if they were below the modulus and there was no carry.
        let keeps = above | carry == 0
        return Self(keeps ? w0 : d0, keeps ? w1 : d1, keeps ? w2 : d2)
    }

    @inline(__always)
    static func + (left: Self, right: Self) -> Self {
        var carry: UInt64 = 0
        let s0 = Words.add(left.w0, right.w0, &carry)
        let s1 = Words.add(left.w1, right.w1, &carry)
        let s2 = Words.add(left.w2, right.w2, &carry)
        return subtractingModulus(s0, s1, s2, carry: carry)
    }

    @inline(__always)
    static func - (left: Self, right: Self) -> Self {
        var borrow: UInt64 = 0
        let d0 = Words.subtract(left.w0, right.w0, &borrow)
        let d1 = Words.subtract(left.w1, right.w1, &borrow)
        let d2 = Words.subtract(left.w2, right.w2, &borrow)
        // All ones if the difference is negative, so that the modulus or 0 is added.
        let mask = 0 &- borrow
        var carry: UInt64 = 0
        return Self(
            Words.add(d0, Modulus.m0 & mask, &carry),
            Words.add(d1, Modulus.m1 & mask, &carry),
            Words.add(d2, Modulus.m2 & mask, &carry))
    }

    @inline(__always)
    var negated: Self { .zero - self }

    @inline(__always)
    func negated(_ isNegated: Bool) -> Self {
        let negative = negated
        let mask: UInt64 = isNegated ? .max : 0
        let n0 = (negative.w0 & mask) | (w0 & ~mask)
        let n1 = (negative.w1 & mask) | (w1 & ~mask)
        let n2 = (negative.w2 & mask) | (w2 & ~mask)
        return Self(n0, n1, n2)
    }

    var variableTimeInverse: Self {
        guard !isZero else { return .zero }
        let words = words
        let inverse = Modulus.inversion.inverse(of: (words.0, words.1, words.2, 0))
        return Self(reducing: (inverse.0, inverse.1, inverse.2))
    }

    @inline(__always)
    var squared: Self { self * self }

    /// Montgomery multiplication: the whole product, then its reduction.
    ///
    /// Source: Koç, Acar, Kaliski, "Analyzing and Comparing Montgomery Multiplication Algorithms", the SOS method.
    @inline(never)
    static func * (left: Self, right: Self) -> Self {
        let (a0, a1, a2, a3) = right.multiplied(by: left.w0)
        let (b0, b1, b2, b3) = right.multiplied(by: left.w1)
        let (c0, c1, c2, c3) = right.multiplied(by: left.w2)
        var carry: UInt64 = 0
        let s1 = Words.add(a1, b0, &carry)
        let s2 = Words.add(a2, b1, &carry)
        let s3 = Words.add(a3, b2, &carry)
        let s4 = b3 &+ carry
        carry = 0
        let t2 = Words.add(s2, c0, &carry)
        let t3 = Words.add(s3, c1, &carry)
        let t4 = Words.add(s4, c2, &carry)
        let t5 = c3 &+ carry
        let reduced = Modulus.reduce(a0, s1, t2, t3, t4, t5)
        return subtractingModulus(reduced.0, reduced.1, reduced.2, carry: reduced.carry)
    }

    /// The words times one word.
    @inline(__always)
    private func multiplied(by word: UInt64) -> (UInt64, UInt64, UInt64, UInt64) {
        let p0 = Words.product(word, w0)
        let p1 = Words.product(word, w1)
        let p2 = Words.product(word, w2)
        var carry: UInt64 = 0
        let r1 = Words.add(p0.high, p1.low, &carry)
        let r2 = Words.add(p1.high, p2.low, &carry)
        return (p0.low, r1, r2, p2.high &+ carry)
    }
}

extension Residue3: ScalarField {
    init?(reducingBigEndian bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        let w0 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let w1 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let w2 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        self.init(reducing: (w0, w1, w2))
    }

    func signedDigits(_ digits: UnsafeMutableBufferPointer<Int16>, width: Int) -> Bool {
        var words = words
        let isNegated = words.2 >> 63 == 1
        if isNegated { words = negated.words }
        withUnsafeBytes(of: (words.0.littleEndian, words.1.littleEndian, words.2.littleEndian)) { bytes in
            Self.recode({ bytes[$0] }, digits, width: width)
        }
        return isNegated
    }
}
