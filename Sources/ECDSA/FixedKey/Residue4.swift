/// A prime of 4 words, the lowest first, and what Montgomery's form needs of it.
protocol Modulus4: Sendable {
    static var m0: UInt64 { get }
    static var m1: UInt64 { get }
    static var m2: UInt64 { get }
    static var m3: UInt64 { get }
    /// −1 / m modulo 2^64.
    static var negatedInverse: UInt64 { get }
    /// R modulo m, R being 2^256.
    static var one: Residue4<Self> { get }
    /// R² modulo m.
    static var square: Residue4<Self> { get }
    /// m − 2, big-endian.
    static var inversionExponent: [UInt8] { get }
    /// Inversion modulo m.
    static var inversion: ModularInverse { get }
    /// The words plus the multiple of m that makes the lowest one 0, without that one.
    ///
    /// The carry goes in and out above the highest word.
    static func reduceWord(
        _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ carry: inout UInt64
    ) -> (UInt64, UInt64, UInt64, UInt64)
}

extension Modulus4 {
    @inline(__always)
    static func reduceWord(
        _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ carry: inout UInt64
    ) -> (UInt64, UInt64, UInt64, UInt64) {
        let factor = t0 &* negatedInverse
        var high: UInt64 = 0
        _ = Words.multiplyAdd(factor, m0, t0, &high)
        let r1 = Words.multiplyAdd(factor, m1, t1, &high)
        let r2 = Words.multiplyAdd(factor, m2, t2, &high)
        let r3 = Words.multiplyAdd(factor, m3, t3, &high)
        return (r1, r2, r3, Words.add(t4, high, &carry))
    }
}

/// An integer modulo a prime of 4 words.
struct Residue4<Modulus: Modulus4>: PrimeField {
    fileprivate var w0: UInt64
    fileprivate var w1: UInt64
    fileprivate var w2: UInt64
    fileprivate var w3: UInt64

    @inline(__always)
    init(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64) {
        self.w0 = w0
        self.w1 = w1
        self.w2 = w2
        self.w3 = w3
    }

    static var byteCount: Int { 32 }
    static var zero: Self { Self(0, 0, 0, 0) }
    static var one: Self { Modulus.one }
    static var inversionExponent: [UInt8] { Modulus.inversionExponent }

    init?(bigEndian bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        let w0 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        let w1 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let w2 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let w3 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        var borrow: UInt64 = 0
        _ = Words.subtract(w0, Modulus.m0, &borrow)
        _ = Words.subtract(w1, Modulus.m1, &borrow)
        _ = Words.subtract(w2, Modulus.m2, &borrow)
        _ = Words.subtract(w3, Modulus.m3, &borrow)
        guard borrow == 1 else { return nil }
        self = Self(w0, w1, w2, w3) * Modulus.square
    }

    /// A value out of words that need not be below the modulus, but below twice it, as every number
    /// of so many words is.
    init(reducing words: (UInt64, UInt64, UInt64, UInt64)) {
        self = Self.subtractingModulus(words.0, words.1, words.2, words.3, carry: 0) * Modulus.square
    }

    /// The words of the value itself, out of Montgomery's form.
    var words: (UInt64, UInt64, UInt64, UInt64) {
        let plain = self * Self(1, 0, 0, 0)
        return (plain.w0, plain.w1, plain.w2, plain.w3)
    }

    var bigEndian: [UInt8] {
        let words = words
        return [words.3, words.2, words.1, words.0].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    /// Subtracts the modulus once if the words, with a carry above them, are not below it.
    @inline(__always)
    private static func subtractingModulus(_ w0: UInt64, _ w1: UInt64, _ w2: UInt64, _ w3: UInt64, carry: UInt64)
        -> Self
    {
        // Adding 2^256 less the modulus: the compiler is better at carries than at borrows.
        var above: UInt64 = 0
        let d0 = Words.add(w0, 0 &- Modulus.m0, &above)
        let d1 = Words.add(w1, ~Modulus.m1, &above)
        let d2 = Words.add(w2, ~Modulus.m2, &above)
        let d3 = Words.add(w3, ~Modulus.m3, &above)
        // Keeps the words only if they were below the modulus and there was no carry.
        let keeps = above | carry == 0
        return Self(keeps ? w0 : d0, keeps ? w1 : d1, keeps ? w2 : d2, keeps ? w3 : d3)
    }

    @inline(__always)
    static func + (left: Self, right: Self) -> Self {
        var carry: UInt64 = 0
        let s0 = Words.add(left.w0, right.w0, &carry)
        let s1 = Words.add(left.w1, right.w1, &carry)
        let s2 = Words.add(left.w2, right.w2, &carry)
        let s3 = Words.add(left.w3, right.w3, &carry)
        return subtractingModulus(s0, s1, s2, s3, carry: carry)
    }

    @inline(__always)
    static func - (left: Self, right: Self) -> Self {
        var borrow: UInt64 = 0
        let d0 = Words.subtract(left.w0, right.w0, &borrow)
        let d1 = Words.subtract(left.w1, right.w1, &borrow)
        let d2 = Words.subtract(left.w2, right.w2, &borrow)
        let d3 = Words.subtract(left.w3, right.w3, &borrow)
        // All ones if the difference is negative, so that the modulus or 0 is added.
        let mask = 0 &- borrow
        var carry: UInt64 = 0
        return Self(
            Words.add(d0, Modulus.m0 & mask, &carry),
            Words.add(d1, Modulus.m1 & mask, &carry),
            Words.add(d2, Modulus.m2 & mask, &carry),
            Words.add(d3, Modulus.m3 & mask, &carry))
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
        let n3 = (negative.w3 & mask) | (w3 & ~mask)
        return Self(n0, n1, n2, n3)
    }

    var variableTimeInverse: Self {
        guard !isZero else { return .zero }
        let words = words
        let inverse = Modulus.inversion.inverse(of: (words.0, words.1, words.2, words.3))
        return Self(reducing: (inverse.0, inverse.1, inverse.2, inverse.3))
    }

    @inline(__always)
    var squared: Self { self * self }

    /// Montgomery multiplication, one word of the left factor at a time.
    ///
    /// Each step adds the word's product, then as much of the modulus as makes the lowest word 0, and drops that word.
    ///
    /// Source: Koç, Acar, Kaliski, "Analyzing and Comparing Montgomery Multiplication Algorithms", the CIOS method.
    @inline(never)
    static func * (left: Self, right: Self) -> Self {
        var t0: UInt64 = 0, t1: UInt64 = 0, t2: UInt64 = 0, t3: UInt64 = 0, t4: UInt64 = 0
        step(left.w0, right, &t0, &t1, &t2, &t3, &t4)
        step(left.w1, right, &t0, &t1, &t2, &t3, &t4)
        step(left.w2, right, &t0, &t1, &t2, &t3, &t4)
        step(left.w3, right, &t0, &t1, &t2, &t3, &t4)
        return subtractingModulus(t0, t1, t2, t3, carry: t4)
    }

    @inline(__always)
    private static func step(
        _ word: UInt64, _ right: Self, _ t0: inout UInt64, _ t1: inout UInt64, _ t2: inout UInt64, _ t3: inout UInt64,
        _ t4: inout UInt64
    ) {
        let (p0, p1, p2, p3, p4) = right.multiplied(by: word)
        var carry: UInt64 = 0
        t0 = Words.add(t0, p0, &carry)
        t1 = Words.add(t1, p1, &carry)
        t2 = Words.add(t2, p2, &carry)
        t3 = Words.add(t3, p3, &carry)
        t4 = Words.add(t4, p4, &carry)
        var above: UInt64 = 0
        (t0, t1, t2, t3) = Modulus.reduceWord(t0, t1, t2, t3, t4, &above)
        t4 = carry &+ above
    }

    /// The words times one word.
    @inline(__always)
    private func multiplied(by word: UInt64) -> (UInt64, UInt64, UInt64, UInt64, UInt64) {
        let p0 = Words.product(word, w0)
        let p1 = Words.product(word, w1)
        let p2 = Words.product(word, w2)
        let p3 = Words.product(word, w3)
        var carry: UInt64 = 0
        let r1 = Words.add(p0.high, p1.low, &carry)
        let r2 = Words.add(p1.high, p2.low, &carry)
        let r3 = Words.add(p2.high, p3.low, &carry)
        return (p0.low, r1, r2, r3, p3.high &+ carry)
    }
}

extension Residue4: ScalarField {
    init?(reducingBigEndian bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        let w0 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
        let w1 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let w2 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let w3 = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        self.init(reducing: (w0, w1, w2, w3))
    }

    func signedDigits(_ digits: UnsafeMutableBufferPointer<Int16>, width: Int) -> Bool {
        var words = words
        let isNegated = words.3 >> 63 == 1
        if isNegated { words = negated.words }
        withUnsafeBytes(of: (words.0.littleEndian, words.1.littleEndian, words.2.littleEndian, words.3.littleEndian)) {
            bytes in
            Self.recode({ bytes[$0] }, digits, width: width)
        }
        return isNegated
    }
}
