// Source of all numbers: NIST SP 800-186, sections 3.2.1.1 (P-192) and 3.2.1.3 (P-256).

/// The prime of P-192: 2^192 − 2^64 − 1.
enum P192Prime: Modulus3 {
    static var m0: UInt64 { 0xFFFF_FFFF_FFFF_FFFF }
    static var m1: UInt64 { 0xFFFF_FFFF_FFFF_FFFE }
    static var m2: UInt64 { 0xFFFF_FFFF_FFFF_FFFF }
    static var negatedInverse: UInt64 { 0x0000_0000_0000_0001 }
    static var one: Residue3<Self> {
        .init(0x0000_0000_0000_0001, 0x0000_0000_0000_0001, 0x0000_0000_0000_0000)
    }
    static var square: Residue3<Self> {
        .init(0x0000_0000_0000_0001, 0x0000_0000_0000_0002, 0x0000_0000_0000_0001)
    }
    static let inversionExponent: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFD,
    ]
    static let inversion = ModularInverse(modulus: (m0, m1, m2, 0))
}

extension P192Prime {
    /// Reduction without a product, because p is near a power of two.
    ///
    /// T is the lower half, and Q is such that Q · (2^64 + 1) ≡ T modulo R. Then adding Q · p = Q · R − Q · (2^64 + 1)
    /// clears T. What is left is the upper half plus Q, minus the part of Q · (2^64 + 1) above R.
    @inline(__always)
    static func reduce(
        _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ t5: UInt64
    ) -> (UInt64, UInt64, UInt64, carry: UInt64) {
        var borrow: UInt64 = 0
        let q1 = Words.subtract(t1, t0, &borrow)
        let q2 = Words.subtract(t2, q1, &borrow)
        // Above R there are q2 and the last borrow; their sum can be 2^64.
        let d0 = Words.subtract(t0, q2, &borrow)
        let d1 = Words.subtract(q1, 0, &borrow)
        let d2 = q2 &- borrow
        var carry: UInt64 = 0
        let r0 = Words.add(t3, d0, &carry)
        let r1 = Words.add(t4, d1, &carry)
        let r2 = Words.add(t5, d2, &carry)
        return (r0, r1, r2, carry)
    }
}

/// The order of the group of P-192.
enum P192Order: Modulus3 {
    static var m0: UInt64 { 0x146B_C9B1_B4D2_2831 }
    static var m1: UInt64 { 0xFFFF_FFFF_99DE_F836 }
    static var m2: UInt64 { 0xFFFF_FFFF_FFFF_FFFF }
    static var negatedInverse: UInt64 { 0x8826_7207_0DDB_CF2F }
    static var one: Residue3<Self> {
        .init(0xEB94_364E_4B2D_D7CF, 0x0000_0000_6621_07C9, 0x0000_0000_0000_0000)
    }
    static var square: Residue3<Self> {
        .init(0xCE66_BACC_DEB3_5961, 0x4696_EA5B_BB3A_6BEE, 0x28BE_5677_EA05_81A2)
    }
    static let inversionExponent: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0x99, 0xDE, 0xF8, 0x36, 0x14, 0x6B, 0xC9, 0xB1, 0xB4, 0xD2, 0x28, 0x2F,
    ]
    static let inversion = ModularInverse(modulus: (m0, m1, m2, 0))
}

/// The prime of P-256: 2^256 − 2^224 + 2^192 + 2^96 − 1.
enum P256Prime: Modulus4 {
    static var m0: UInt64 { 0xFFFF_FFFF_FFFF_FFFF }
    static var m1: UInt64 { 0x0000_0000_FFFF_FFFF }
    static var m2: UInt64 { 0x0000_0000_0000_0000 }
    static var m3: UInt64 { 0xFFFF_FFFF_0000_0001 }
    static var negatedInverse: UInt64 { 0x0000_0000_0000_0001 }
    static var one: Residue4<Self> {
        .init(0x0000_0000_0000_0001, 0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF, 0x0000_0000_FFFF_FFFE)
    }
    static var square: Residue4<Self> {
        .init(0x0000_0000_0000_0003, 0xFFFF_FFFB_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFE, 0x0000_0004_FFFF_FFFD)
    }
    static let inversionExponent: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFD,
    ]
    static let inversion = ModularInverse(modulus: (m0, m1, m2, m3))
}

extension P256Prime {
    /// With p ≡ −1 modulo 2^64 the factor is t0 itself, and t0 · (p + 1) = t0 · 2^96 + t0 · m3 · 2^192.
    @inline(__always)
    static func reduceWord(
        _ t0: UInt64, _ t1: UInt64, _ t2: UInt64, _ t3: UInt64, _ t4: UInt64, _ carry: inout UInt64
    ) -> (UInt64, UInt64, UInt64, UInt64) {
        let product = Words.product(t0, m3)
        var inner: UInt64 = 0
        let r1 = Words.add(t1, t0 &<< 32, &inner)
        let r2 = Words.add(t2, t0 &>> 32, &inner)
        let r3 = Words.add(t3, product.low, &inner)
        return (r1, r2, r3, Words.add(t4, product.high &+ inner, &carry))
    }
}

/// The order of the group of P-256.
enum P256Order: Modulus4 {
    static var m0: UInt64 { 0xF3B9_CAC2_FC63_2551 }
    static var m1: UInt64 { 0xBCE6_FAAD_A717_9E84 }
    static var m2: UInt64 { 0xFFFF_FFFF_FFFF_FFFF }
    static var m3: UInt64 { 0xFFFF_FFFF_0000_0000 }
    static var negatedInverse: UInt64 { 0xCCD1_C8AA_EE00_BC4F }
    static var one: Residue4<Self> {
        .init(0x0C46_353D_039C_DAAF, 0x4319_0552_58E8_617B, 0x0000_0000_0000_0000, 0x0000_0000_FFFF_FFFF)
    }
    static var square: Residue4<Self> {
        .init(0x8324_4C95_BE79_EEA2, 0x4699_799C_49BD_6FA6, 0x2845_B239_2B6B_EC59, 0x66E1_2D94_F3D9_5620)
    }
    static let inversionExponent: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84,
        0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x4F,
    ]
    static let inversion = ModularInverse(modulus: (m0, m1, m2, m3))
}
