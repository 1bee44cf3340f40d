import ECDSA

extension Curve {
    /// The order of the group.
    var order: BigNumber {
        Self.number(
            self == .p192
                ? "ffffffffffffffffffffffff99def836146bc9b1b4d22831"
                : "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    }

    /// The prime of the field.
    var prime: BigNumber {
        Self.number(
            self == .p192
                ? "fffffffffffffffffffffffffffffffeffffffffffffffff"
                : "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
    }

    private static func number(_ text: String) -> BigNumber {
        let digits = text.compactMap(\.hexDigitValue)
        return BigNumber(
            bigEndian: stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
