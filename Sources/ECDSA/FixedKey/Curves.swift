// Source of all numbers: NIST SP 800-186, sections 3.2.1.1 (P-192) and 3.2.1.3 (P-256); coordinates are in Montgomery
// form.

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
