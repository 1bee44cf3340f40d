internal import COpenSSL

/// The owner of one parsed key of libcrypto, public or private.
///
/// A key is parsed once and used on many threads. Each use has its own context.
final class EVPKey: @unchecked Sendable {
    // Sendable: the pointer is never changed after init, and libcrypto reads a finished EVP_PKEY from any thread.
    let pointer: OpaquePointer
    let curve: Curve

    /// Takes ownership of the pointer, even if it throws.
    init(owning pointer: OpaquePointer?) throws(KeyError) {
        guard let pointer else {
            ERR_clear_error()
            throw .unreadable
        }
        guard let curve = Curve.of(pointer) else {
            EVP_PKEY_free(pointer)
            ERR_clear_error()
            throw .wrongCurve
        }
        self.pointer = pointer
        self.curve = curve
    }

    /// Takes ownership of the pointer to a private key of a token, whose public half is on this curve.
    init(owning pointer: OpaquePointer, on curve: Curve) {
        self.pointer = pointer
        self.curve = curve
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// Throws if the public key's point is not in the curve's group.
    ///
    /// libcrypto reads the point at infinity without an error, but anybody can make signatures for it.
    func checkPublicHalf() throws(KeyError) {
        try check { EVP_PKEY_public_check($0) }
    }

    /// Throws if a private key does not belong to its public key: its signatures would not verify.
    func checkBothHalves() throws(KeyError) {
        try check { EVP_PKEY_check($0) }
    }

    private func check(_ isSound: (OpaquePointer) -> Int32) throws(KeyError) {
        guard let context = EVP_PKEY_CTX_new(pointer, nil) else { throw .unavailable }
        defer { EVP_PKEY_CTX_free(context) }
        guard isSound(context) == 1 else {
            ERR_clear_error()
            throw .unreadable
        }
    }

    /// The public key as SubjectPublicKeyInfo in DER.
    var publicKeyDER: [UInt8] { Self.publicKeyDER(of: pointer) }

    /// The public half of a key as SubjectPublicKeyInfo in DER; empty if libcrypto can't tell it.
    static func publicKeyDER(of pointer: OpaquePointer) -> [UInt8] {
        var output: UnsafeMutablePointer<UInt8>?
        let length = i2d_PUBKEY(pointer, &output)
        guard length > 0, let output else {
            ERR_clear_error()
            return []
        }
        defer { CRYPTO_free(output, nil, 0) }
        return Array(UnsafeBufferPointer(start: output, count: Int(length)))
    }

    /// The public key as PEM, the form that is registered with Apple.
    var publicKeyPEM: String {
        Self.pem { PEM_write_bio_PUBKEY($0, pointer) == 1 }
    }

    /// The private key as unencrypted PKCS#8 PEM.
    var privateKeyPEM: String {
        Self.pem { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) == 1 }
    }

    /// The private key as PKCS#8 PEM, encrypted under a passphrase.
    func privateKeyPEM(_ passphrase: Passphrase) -> String {
        passphrase.withSecret { secret in
            Self.pem { adattribution_write_encrypted_key($0, pointer, secret.text, secret.length) == 1 }
        }
    }

    private static func pem(_ write: (OpaquePointer) -> Bool) -> String {
        // A "secure memory" BIO wipes its buffer when freed.
        guard let bio = BIO_new(BIO_s_secmem()) else { return "" }
        defer { BIO_free(bio) }
        var data: UnsafeMutablePointer<CChar>?
        guard write(bio), case let length = adattribution_bio_data(bio, &data), length > 0, let data else {
            ERR_clear_error()
            return ""
        }
        return String(decoding: UnsafeRawBufferPointer(start: data, count: length), as: UTF8.self)
    }
}
