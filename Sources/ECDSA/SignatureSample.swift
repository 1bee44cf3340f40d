internal import COpenSSL

/// A signature that is valid under a key without its private half, over a digest that was made for it.
///
/// With R = a·G + b·Q, r = x(R), s = r / b and the digest a·s, verification comes back to R. No message has such
/// a digest, so a sample proves only that a verifier works.
struct SignatureSample {
    /// The signature and its digest.
    let signed: SignedDigest

    /// Four samples; fewer only if libcrypto itself fails.
    static func samples(under key: EVPKey) -> [SignatureSample] {
        [(3, 5), (0x1234_5678, 0x9ABC_DEF0), (UInt.max, 2), (1, UInt.max - 58)].compactMap {
            sample(under: key, a: $0.0, b: $0.1)
        }
    }

    /// The same with one bit wrong: of the digest, of r, of s.
    var corrupted: [SignedDigest] {
        var digest = signed.digest
        digest[7] ^= 1
        var otherR = signed.signature
        otherR[8] ^= 1
        var otherS = signed.signature
        otherS[otherS.count - 1] ^= 1
        return [
            SignedDigest(signature: signed.signature, digest: digest),
            SignedDigest(signature: otherR, digest: signed.digest),
            SignedDigest(signature: otherS, digest: signed.digest),
        ]
    }

    private static func sample(under key: EVPKey, a: UInt, b: UInt) -> SignatureSample? {
        defer { ERR_clear_error() }
        let identifier = key.curve == .p192 ? NID_X9_62_prime192v1 : NID_X9_62_prime256v1
        guard let group = EC_GROUP_new_by_curve_name(identifier), let context = BN_CTX_new() else { return nil }
        defer {
            EC_GROUP_free(group)
            BN_CTX_free(context)
        }
        BN_CTX_start(context)
        defer { BN_CTX_end(context) }
        guard let point = EC_POINT_new(group), let sum = EC_POINT_new(group) else { return nil }
        defer {
            EC_POINT_free(point)
            EC_POINT_free(sum)
        }
        var encoded = [UInt8](repeating: 0, count: 133)
        var length = 0
        guard let order = EC_GROUP_get0_order(group), let aNumber = BN_CTX_get(context),
            let bNumber = BN_CTX_get(context), let x = BN_CTX_get(context), let inverse = BN_CTX_get(context),
            let e = BN_CTX_get(context), let r = BN_new(), let s = BN_new(),
            BN_set_word(aNumber, a) == 1, BN_set_word(bNumber, b) == 1,
            EVP_PKEY_get_octet_string_param(
                key.pointer, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, &encoded, encoded.count, &length) == 1,
            EC_POINT_oct2point(group, point, encoded, length, context) == 1,
            EC_POINT_mul(group, sum, aNumber, point, bNumber, context) == 1,
            EC_POINT_get_affine_coordinates(group, sum, x, nil, context) == 1,
            BN_nnmod(r, x, order, context) == 1, BN_mod_inverse(inverse, bNumber, order, context) != nil,
            BN_mod_mul(s, r, inverse, order, context) == 1, BN_mod_mul(e, aNumber, s, order, context) == 1,
            let pair = ECDSA_SIG_new()
        else { return nil }
        defer { ECDSA_SIG_free(pair) }
        guard ECDSA_SIG_set0(pair, r, s) == 1 else { return nil }
        // P-192 takes the leftmost 24 bytes of the digest.
        var digest = [UInt8](repeating: 0, count: 32)
        let count: Int32 = key.curve == .p192 ? 24 : 32
        guard BN_bn2binpad(e, &digest, count) == count else { return nil }
        var output: UnsafeMutablePointer<UInt8>?
        let size = i2d_ECDSA_SIG(pair, &output)
        guard size > 0, let output else { return nil }
        defer { CRYPTO_free(output, nil, 0) }
        return SignatureSample(
            signed: SignedDigest(
                signature: Array(UnsafeBufferPointer(start: output, count: Int(size))), digest: digest))
    }
}
