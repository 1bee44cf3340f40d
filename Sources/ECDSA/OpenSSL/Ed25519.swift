internal import COpenSSL

/// A private key of Ed25519 (RFC 8032), by libcrypto.
///
/// It is secret, so no description shows it.
package struct Ed25519PrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: Ed25519Key
    /// The public key.
    package let publicKey: Ed25519PublicKey

    /// Takes the 32 bytes that RFC 8032 calls the private key and others the seed; nil for another number of them.
    package init?(seed: [UInt8]) {
        guard seed.count == 32,
            let key = Ed25519Key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)),
            let publicKey = Ed25519PublicKey(key.publicBytes)
        else { return nil }
        self.key = key
        self.publicKey = publicKey
    }

    /// The 64 bytes of a message's signature; nil only if libcrypto itself fails.
    package func signature(of message: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 64)
        var length = signature.count
        guard EVP_DigestSignInit(context, nil, nil, nil, key.pointer) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1, length == 64
        else {
            ERR_clear_error()
            return nil
        }
        return signature
    }

    /// Says only that there is one.
    package var description: String { "a private key of Ed25519" }

    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A public key of Ed25519 (RFC 8032), by libcrypto.
package struct Ed25519PublicKey: Sendable {
    private let key: Ed25519Key
    /// The 32 bytes of the key.
    package let bytes: [UInt8]

    /// Takes the 32 bytes of a key; nil for another number of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32,
            let key = Ed25519Key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count))
        else { return nil }
        self.key = key
        self.bytes = bytes
    }

    /// Whether a signature of 64 bytes is that of a message.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        guard signature.count == 64, let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

/// The owner of one key of libcrypto.
private final class Ed25519Key: @unchecked Sendable {
    // Sendable: the pointer is never changed after init, and libcrypto reads a finished EVP_PKEY from any thread.
    let pointer: OpaquePointer

    /// Takes ownership of the pointer; nil if there is none.
    init?(_ pointer: OpaquePointer?) {
        guard let pointer else {
            ERR_clear_error()
            return nil
        }
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// The public half; empty if libcrypto can't tell it.
    var publicBytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        var length = bytes.count
        return EVP_PKEY_get_raw_public_key(pointer, &bytes, &length) == 1 && length == 32 ? bytes : []
    }
}
