internal import COpenSSL

/// A public key with its multiples computed, which has shown that it tells good signatures from bad ones.
struct PreparedKey: Sendable {
    private let fixed: FixedKey

    /// Computes the multiples and checks them against libcrypto; nil where the two disagree.
    init?(_ key: EVPKey) {
        guard let (x, y) = Self.coordinates(of: key) else { return nil }
        let fixed = key.curve == .p192 ? FixedKey(p192x: x, y: y) : FixedKey(p256x: x, y: y)
        guard let fixed else { return nil }
        for sample in SignatureSample.samples(under: key) {
            guard fixed.isValid(signature: sample.signature, digest: sample.digest),
                key.isValid(signature: sample.signature, digest: sample.digest)
            else { return nil }
            for (signature, digest) in sample.spoilt where fixed.isValid(signature: signature, digest: digest) {
                return nil
            }
        }
        self.fixed = fixed
    }

    func isValid(signature: [UInt8], digest: [UInt8]) -> Bool {
        fixed.isValid(signature: signature, digest: digest)
    }

    func areValid(_ signatures: [(signature: [UInt8], digest: [UInt8])]) -> [Bool] {
        fixed.areValid(signatures)
    }

    private static func coordinates(of key: EVPKey) -> (x: [UInt8], y: [UInt8])? {
        let count: Int32 = key.curve == .p192 ? 24 : 32
        var coordinates: [[UInt8]] = []
        for name in [OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_PUB_Y] {
            var number: OpaquePointer?
            defer { BN_free(number) }
            var bytes = [UInt8](repeating: 0, count: Int(count))
            guard EVP_PKEY_get_bn_param(key.pointer, name, &number) == 1,
                BN_bn2binpad(number, &bytes, count) == count
            else {
                ERR_clear_error()
                return nil
            }
            coordinates.append(bytes)
        }
        return (coordinates[0], coordinates[1])
    }
}
