/// Inversion modulo an odd number by division steps, in variable time.
///
/// It is about seven times as fast as Fermat's theorem.
///
/// Numbers have five signed limbs of 62 bits, so that the product of a limb and a matrix entry fits into 128 bits.
/// Sources: Bernstein, Yang, "Fast constant-time gcd computation and modular inversion"; the variable-time form and its
/// bounds: libsecp256k1, `doc/safegcd_implementation.md`.
struct ModularInverse: Sendable {
    typealias Limbs = InlineArray<5, Int64>

    private let modulus: Limbs
    /// The inverse of the modulus modulo 2^62.
    private let inverse62: UInt64

    private static let mask: UInt64 = .max >> 2

    /// Takes an odd modulus of up to 256 bits, lowest word first.
    init(modulus words: (UInt64, UInt64, UInt64, UInt64)) {
        modulus = Self.limbs(words)
        // Newton's iteration. An odd number is its own inverse in the lowest 3 bits; each step doubles the correct
        // bits.
        var inverse = words.0
        for _ in 0..<5 { inverse = inverse &* (2 &- words.0 &* inverse) }
        inverse62 = inverse & Self.mask
    }

    /// The inverse of a number below the modulus.
    ///
    /// It must not be 0, and not have a common divisor with the modulus.
    func inverse(of words: (UInt64, UInt64, UInt64, UInt64)) -> (UInt64, UInt64, UInt64, UInt64) {
        var d = Limbs(repeating: 0)
        var e = Limbs(repeating: 0)
        e[0] = 1
        var f = modulus
        var g = Self.limbs(words)
        var length = 5
        var eta: Int64 = -1
        while true {
            let step = Matrix(&eta, UInt64(bitPattern: f[0]), UInt64(bitPattern: g[0]))
            updateDE(&d, &e, step)
            Self.updateFG(&f, &g, length, step)
            if Self.isZero(g, length) { break }
            Self.shorten(&f, &g, &length)
        }
        return Self.words(normalised(d, isNegative: f[length - 1] < 0))
    }

    /// What 62 division steps do to f and g, times 2^62.
    private struct Matrix {
        var u: Int64
        var v: Int64
        var q: Int64
        var r: Int64

        @inline(__always)
        init(_ eta: inout Int64, _ f0: UInt64, _ g0: UInt64) {
            var u: UInt64 = 1
            var v: UInt64 = 0
            var q: UInt64 = 0
            var r: UInt64 = 1
            var f = f0
            var g = g0
            var left = 62
            while true {
                // All steps that only halve g at once. The ones above keep the count within the remaining steps.
                let zeros = (g | (.max &<< UInt64(left))).trailingZeroBitCount
                g &>>= UInt64(zeros)
                u &<<= UInt64(zeros)
                v &<<= UInt64(zeros)
                eta &-= Int64(zeros)
                left &-= zeros
                if left == 0 { break }
                let multiple: UInt64
                if eta < 0 {
                    eta = 0 &- eta
                    (f, g) = (g, 0 &- f)
                    (u, q) = (q, 0 &- u)
                    (v, r) = (r, 0 &- v)
                    // Adds the multiple of f that clears up to six bits of g.
                    let limit = min(Int(eta) &+ 1, left)
                    let bits = (UInt64.max &>> UInt64(64 &- limit)) & 63
                    multiple = (f &* g &* (f &* f &- 2)) & bits
                } else {
                    let limit = min(Int(eta) &+ 1, left)
                    let bits = (UInt64.max &>> UInt64(64 &- limit)) & 15
                    let inverse = f &+ (((f &+ 1) & 4) &<< 1)
                    multiple = (0 &- inverse &* g) & bits
                }
                g = g &+ f &* multiple
                q = q &+ u &* multiple
                r = r &+ v &* multiple
            }
            self.u = Int64(bitPattern: u)
            self.v = Int64(bitPattern: v)
            self.q = Int64(bitPattern: q)
            self.r = Int64(bitPattern: r)
        }
    }

    @inline(__always)
    private static func product(_ a: Int64, _ b: Int64) -> Int128 {
        Int128(truncatingIfNeeded: a) &* Int128(truncatingIfNeeded: b)
    }

    /// d and e by the matrix, divided by 2^62 modulo the modulus.
    @inline(__always)
    private func updateDE(_ d: inout Limbs, _ e: inout Limbs, _ t: Matrix) {
        let dSign = d[4] &>> 63
        let eSign = e[4] &>> 63
        var md = (t.u & dSign) &+ (t.v & eSign)
        var me = (t.q & dSign) &+ (t.r & eSign)
        var cd = Self.product(t.u, d[0]) &+ Self.product(t.v, e[0])
        var ce = Self.product(t.q, d[0]) &+ Self.product(t.r, e[0])
        // The multiples of the modulus that make the lowest 62 bits 0.
        md &-= Int64(bitPattern: (inverse62 &* UInt64(truncatingIfNeeded: cd) &+ UInt64(bitPattern: md)) & Self.mask)
        me &-= Int64(bitPattern: (inverse62 &* UInt64(truncatingIfNeeded: ce) &+ UInt64(bitPattern: me)) & Self.mask)
        cd = (cd &+ Self.product(modulus[0], md)) &>> 62
        ce = (ce &+ Self.product(modulus[0], me)) &>> 62
        for index in 1..<5 {
            cd = cd &+ Self.product(t.u, d[index]) &+ Self.product(t.v, e[index]) &+ Self.product(modulus[index], md)
            ce = ce &+ Self.product(t.q, d[index]) &+ Self.product(t.r, e[index]) &+ Self.product(modulus[index], me)
            d[index - 1] = Int64(bitPattern: UInt64(truncatingIfNeeded: cd) & Self.mask)
            e[index - 1] = Int64(bitPattern: UInt64(truncatingIfNeeded: ce) & Self.mask)
            cd = cd &>> 62
            ce = ce &>> 62
        }
        d[4] = Int64(truncatingIfNeeded: cd)
        e[4] = Int64(truncatingIfNeeded: ce)
    }

    /// f and g by the matrix, divided by 2^62, which leaves no remainder.
    @inline(__always)
    private static func updateFG(_ f: inout Limbs, _ g: inout Limbs, _ length: Int, _ t: Matrix) {
        var cf = (product(t.u, f[0]) &+ product(t.v, g[0])) &>> 62
        var cg = (product(t.q, f[0]) &+ product(t.r, g[0])) &>> 62
        for index in 1..<length {
            cf = cf &+ product(t.u, f[index]) &+ product(t.v, g[index])
            cg = cg &+ product(t.q, f[index]) &+ product(t.r, g[index])
            f[index - 1] = Int64(bitPattern: UInt64(truncatingIfNeeded: cf) & mask)
            g[index - 1] = Int64(bitPattern: UInt64(truncatingIfNeeded: cg) & mask)
            cf = cf &>> 62
            cg = cg &>> 62
        }
        f[length - 1] = Int64(truncatingIfNeeded: cf)
        g[length - 1] = Int64(truncatingIfNeeded: cg)
    }

    @inline(__always)
    private static func isZero(_ g: Limbs, _ length: Int) -> Bool {
        guard g[0] == 0 else { return false }
        for index in 1..<length where g[index] != 0 { return false }
        return true
    }

    /// Removes the highest limb of both numbers if it is only a sign.
    @inline(__always)
    private static func shorten(_ f: inout Limbs, _ g: inout Limbs, _ length: inout Int) {
        guard length > 1 else { return }
        let fHighest = f[length - 1]
        let gHighest = g[length - 1]
        guard fHighest == fHighest &>> 63, gHighest == gHighest &>> 63 else { return }
        f[length - 2] |= fHighest &<< 62
        g[length - 2] |= gHighest &<< 62
        length -= 1
    }

    /// A number between −2m and m, negated or not, as one from 0 to m − 1.
    private func normalised(_ number: Limbs, isNegative: Bool) -> Limbs {
        var result = number
        if result[4] < 0 { add(&result) }
        if isNegative {
            for index in 0..<5 { result[index] = 0 &- result[index] }
            Self.propagate(&result)
        }
        if result[4] < 0 { add(&result) }
        return result
    }

    private func add(_ number: inout Limbs) {
        for index in 0..<5 { number[index] = number[index] &+ modulus[index] }
        Self.propagate(&number)
    }

    private static func propagate(_ number: inout Limbs) {
        for index in 0..<4 {
            number[index + 1] = number[index + 1] &+ (number[index] &>> 62)
            number[index] = Int64(bitPattern: UInt64(bitPattern: number[index]) & mask)
        }
    }

    private static func limbs(_ w: (UInt64, UInt64, UInt64, UInt64)) -> Limbs {
        [
            Int64(bitPattern: w.0 & mask),
            Int64(bitPattern: (w.0 &>> 62 | w.1 &<< 2) & mask),
            Int64(bitPattern: (w.1 &>> 60 | w.2 &<< 4) & mask),
            Int64(bitPattern: (w.2 &>> 58 | w.3 &<< 6) & mask),
            Int64(bitPattern: w.3 &>> 56),
        ]
    }

    private static func words(_ limbs: Limbs) -> (UInt64, UInt64, UInt64, UInt64) {
        func limb(_ index: Int) -> UInt64 { UInt64(bitPattern: limbs[index]) }
        return (
            limb(0) | limb(1) &<< 62, limb(1) &>> 2 | limb(2) &<< 60, limb(2) &>> 4 | limb(3) &<< 58,
            limb(3) &>> 6 | limb(4) &<< 56
        )
    }
}
