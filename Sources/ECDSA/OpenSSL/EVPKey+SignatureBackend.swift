internal import COpenSSL

extension EVPKey: SignatureBackend {
    /// Checks one signature after the other, since libcrypto gains nothing by having many.
    func areValid(_ signatures: [SignedDigest]) -> [Bool] {
        signatures.map(isValid)
    }

    private func isValid(_ signed: SignedDigest) -> Bool {
        guard signed.digest.count == 32, let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else {
            return false
        }
        defer { EVP_PKEY_CTX_free(context) }
        let isValid =
            EVP_PKEY_verify_init(context) == 1
            && EVP_PKEY_verify(context, signed.signature, signed.signature.count, signed.digest, 32) == 1
        // A refused signature leaves entries in this thread's error queue.
        if !isValid { ERR_clear_error() }
        return isValid
    }

    /// The coordinates of the public point as big-endian bytes, as many as the curve's order has.
    var coordinates: (x: [UInt8], y: [UInt8])? {
        guard let x = coordinate(OSSL_PKEY_PARAM_EC_PUB_X), let y = coordinate(OSSL_PKEY_PARAM_EC_PUB_Y) else {
            ERR_clear_error()
            return nil
        }
        return (x, y)
    }

    private func coordinate(_ name: String) -> [UInt8]? {
        let count: Int32 = curve == .p192 ? 24 : 32
        var number: OpaquePointer?
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1, BN_bn2binpad(number, &bytes, count) == count else {
            return nil
        }
        return bytes
    }
}
