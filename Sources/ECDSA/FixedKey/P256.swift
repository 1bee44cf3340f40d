// Source of all numbers: NIST SP 800-186, section 3.2.1.3; coordinates are in Montgomery form.

/// NIST P-256.
enum P256: EllipticCurve {
    typealias Field = Residue4<P256Prime>
    typealias Scalar = Residue4<P256Order>

    static let b = Field(0xD89C_DF62_29C4_BDDF, 0xACF0_05CD_7884_3090, 0xE5A2_20AB_F721_2ED6, 0xDC30_061D_0487_4834)
    static let generator = AffinePoint(
        x: Field(0x79E7_30D4_18A9_143C, 0x75BA_95FC_5FED_B601, 0x79FB_732B_7762_2510, 0x1890_5F76_A537_55C6),
        y: Field(0xDDF2_5357_CE95_560A, 0x8B4A_B8E4_BA19_E45C, 0xD2E8_8688_DD21_F325, 0x8571_FF18_2588_5D85))
    static let order = Field(0x9AD1_6948_3335_F568, 0x89B1_0544_63FE_9931, 0x9C01_66CE_652E_96B7, 0x9864_8C20_0FE3_0FEB)
    static let primeLessOrder: [UInt8] = [
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x43, 0x19, 0x05, 0x53, 0x58, 0xE8, 0x61, 0x7B,
        0x0C, 0x46, 0x35, 0x3D, 0x03, 0x9C, 0xDA, 0xAE,
    ]
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
    /// Since p ≡ −1 modulo 2^64, the factor is t0 itself.
    ///
    /// What is added is t0 · (p + 1) = t0 · 2^96 + t0 · m3 · 2^192.
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
