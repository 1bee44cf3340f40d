internal import COpenSSL

/// ECDSA over SHA-256 with the nonce of RFC 6979: the same key and message always give the same signature.
///
/// It is for simulated postbacks under test keys only, because a simulation must be repeatable byte for byte. It does
/// not run in constant time, so use `SigningKey.signature(of:)` for every other key. The orders of both curves have at
/// most as many bits as the digest, so one HMAC block is enough for each nonce.
package final class DeterministicSignature: @unchecked Sendable {
    // Sendable: both pointers are set in init and only read afterwards, which libcrypto allows from any thread.
    private let group: OpaquePointer
    private let scalar: OpaquePointer

    private static let digestBits: Int32 = 256

    /// Makes a signer with a private key.
    package init(key: SigningKey) throws(KeyError) {
        let identifier =
            switch key.curve {
            case .p192: NID_X9_62_prime192v1
            case .p256: NID_X9_62_prime256v1
            }
        var scalar: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key.key.pointer, OSSL_PKEY_PARAM_PRIV_KEY, &scalar) == 1, let scalar else {
            ERR_clear_error()
            throw .unreadable
        }
        guard let group = EC_GROUP_new_by_curve_name(identifier) else {
            BN_clear_free(scalar)
            ERR_clear_error()
            throw .unavailable
        }
        self.group = group
        self.scalar = scalar
    }

    deinit {
        BN_clear_free(scalar)
        EC_GROUP_free(group)
    }

    /// Signs the SHA-256 of a message.
    ///
    /// - Returns: The signature as ASN.1 DER, `SEQUENCE { r, s }`.
    package func signature(of message: [UInt8]) throws(KeyError) -> [UInt8] {
        guard let context = BN_CTX_new() else { throw .unavailable }
        defer { BN_CTX_free(context) }
        BN_CTX_start(context)
        defer { BN_CTX_end(context) }
        guard let order = EC_GROUP_get0_order(group),
            let digest = integer(SHA256.digest(message), context),
            let reduced = BN_CTX_get(context),
            BN_nnmod(reduced, digest, order, context) == 1
        else { throw failed() }
        let width = (Int(BN_num_bits(order)) + 7) / 8
        var nonces = DeterministicNonces(
            scalar: try octets(of: scalar, width), digest: try octets(of: reduced, width))
        while true {
            guard let nonce = integer(nonces.next(), context) else { throw failed() }
            guard BN_is_zero(nonce) == 0, BN_cmp(nonce, order) < 0 else { continue }
            if let signature = try sign(reduced, with: nonce, order, context) { return signature }
        }
    }

    /// One attempt with one nonce; nil if r or s is 0, which never happens in practice.
    private func sign(
        _ digest: OpaquePointer, with nonce: OpaquePointer, _ order: OpaquePointer, _ context: OpaquePointer
    ) throws(KeyError) -> [UInt8]? {
        guard let point = EC_POINT_new(group), let x = BN_CTX_get(context), let inverse = BN_CTX_get(context),
            let r = BN_new(), let s = BN_new()
        else { throw failed() }
        defer { EC_POINT_free(point) }
        // r = x(kG) mod q, s = (z + r·d) / k mod q.
        guard EC_POINT_mul(group, point, nonce, nil, nil, context) == 1,
            EC_POINT_get_affine_coordinates(group, point, x, nil, context) == 1,
            BN_nnmod(r, x, order, context) == 1,
            BN_mod_mul(s, r, scalar, order, context) == 1,
            BN_mod_add(s, s, digest, order, context) == 1,
            BN_mod_inverse(inverse, nonce, order, context) != nil,
            BN_mod_mul(s, s, inverse, order, context) == 1,
            let pair = ECDSA_SIG_new()
        else {
            BN_free(r)
            BN_free(s)
            throw failed()
        }
        // The pair owns r and s from here on.
        defer { ECDSA_SIG_free(pair) }
        guard ECDSA_SIG_set0(pair, r, s) == 1 else { throw failed() }
        guard BN_is_zero(r) == 0, BN_is_zero(s) == 0 else { return nil }
        var output: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(pair, &output)
        guard length > 0, let output else { throw failed() }
        defer { CRYPTO_free(output, nil, 0) }
        return Array(UnsafeBufferPointer(start: output, count: Int(length)))
    }

    /// RFC 6979's bits2int: the leftmost bits, as many as the order has.
    private func integer(_ bytes: [UInt8], _ context: OpaquePointer) -> OpaquePointer? {
        guard bytes.count == 32, let integer = BN_CTX_get(context), let order = EC_GROUP_get0_order(group),
            BN_bin2bn(bytes, 32, integer) != nil,
            BN_rshift(integer, integer, max(0, Self.digestBits - BN_num_bits(order))) == 1
        else { return nil }
        return integer
    }

    private func octets(of integer: OpaquePointer, _ width: Int) throws(KeyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: width)
        guard BN_bn2binpad(integer, &bytes, Int32(width)) == Int32(width) else { throw failed() }
        return bytes
    }

    private func failed() -> KeyError {
        ERR_clear_error()
        return .unavailable
    }
}
