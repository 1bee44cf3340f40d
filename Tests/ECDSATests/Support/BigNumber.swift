import COpenSSL

/// A number of libcrypto's: the second opinion on every sum and product.
final class BigNumber {
    let pointer: OpaquePointer

    init(bigEndian bytes: [UInt8]) {
        pointer = BN_bin2bn(bytes, Int32(bytes.count), nil)
    }

    init(_ integer: Int) {
        pointer = BN_new()
        BN_set_word(pointer, UInt(integer.magnitude))
        if integer < 0 { BN_set_negative(pointer, 1) }
    }

    private init(_ compute: (OpaquePointer, OpaquePointer) -> Int32) {
        pointer = BN_new()
        guard let context = BN_CTX_new() else { preconditionFailure("no memory") }
        defer { BN_CTX_free(context) }
        precondition(compute(pointer, context) == 1)
    }

    deinit {
        BN_free(pointer)
    }

    func bigEndian(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        precondition(BN_bn2binpad(pointer, &bytes, Int32(count)) == Int32(count))
        return bytes
    }

    static func + (left: BigNumber, right: BigNumber) -> BigNumber {
        BigNumber { result, _ in BN_add(result, left.pointer, right.pointer) }
    }

    static func - (left: BigNumber, right: BigNumber) -> BigNumber {
        BigNumber { result, _ in BN_sub(result, left.pointer, right.pointer) }
    }

    static func * (left: BigNumber, right: BigNumber) -> BigNumber {
        BigNumber { result, context in BN_mul(result, left.pointer, right.pointer, context) }
    }

    static func % (left: BigNumber, right: BigNumber) -> BigNumber {
        BigNumber { result, context in BN_nnmod(result, left.pointer, right.pointer, context) }
    }

    func inverse(modulo modulus: BigNumber) -> BigNumber {
        BigNumber { result, context in BN_mod_inverse(result, self.pointer, modulus.pointer, context) == nil ? 0 : 1 }
    }

    static func < (left: BigNumber, right: BigNumber) -> Bool { BN_cmp(left.pointer, right.pointer) < 0 }

    var isNegative: Bool { BN_is_negative(pointer) == 1 }
}
