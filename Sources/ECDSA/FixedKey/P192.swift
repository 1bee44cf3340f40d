// Source of all numbers: NIST SP 800-186, section 3.2.1.1; coordinates are in Montgomery form.

/// NIST P-192.
enum P192: EllipticCurve {
    typealias Field = Residue3<P192Prime>
    typealias Scalar = Residue3<P192Order>

    static let b = Field(0x62D9_E406_A6E3_3A98, 0x7281_CDB2_1907_6AE2, 0x73C8_EEC5_57C0_B131)
    static let generator = AffinePoint(
        x: Field(0x0D8C_B30C_332F_A108, 0x8A4B_D3F7_76D1_2909, 0x954C_C8F9_F3D2_18F7),
        y: Field(0x7B12_A337_1E42_2289, 0xDE22_B524_8966_F05E, 0x6A29_3D83_6AED_A84D))
    static let order = Field(0x146B_C9B1_B4D2_2831, 0x146B_C9B1_4EB1_2068, 0xFFFF_FFFF_99DE_F837)
    static let primeLessOrder: [UInt8] = [
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x66, 0x21, 0x07, 0xC8, 0xEB, 0x94, 0x36, 0x4E, 0x4B, 0x2D, 0xD7, 0xCE,
    ]
}

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
