internal import COpenSSL
import Synchronization

/// Contexts that sign with one key.
///
/// Each is set up once, and lent to one caller at a time.
///
/// Setting one up takes about a sixth of the time of a signature on P-256, mostly for looking the algorithms up by
/// name. There are as many contexts as there were callers at the same time.
final class SigningContexts: Sendable {
    /// One context for the digest and one for the signature.
    private struct Context: @unchecked Sendable {
        // Sendable: only the caller that has taken it out of `idle` uses it.
        let digest: OpaquePointer
        let signature: OpaquePointer
    }

    private let key: EVPKey
    private let idle = Mutex<[Context]>([])

    /// Makes contexts for a private key.
    init(key: EVPKey) {
        self.key = key
    }

    deinit {
        for context in idle.withLock({ $0 }) { Self.free(context) }
    }

    /// Signs the SHA-256 of a message; returns DER.
    func signature(of message: [UInt8]) throws(KeyError) -> [UInt8] {
        guard let context = idle.withLock({ $0.popLast() }) ?? makeContext() else { throw .unavailable }
        guard let signature = Self.sign(message, context) else {
            ERR_clear_error()
            Self.free(context)
            throw .unavailable
        }
        idle.withLock { $0.append(context) }
        return signature
    }

    private static func sign(_ message: [UInt8], _ context: Context) -> [UInt8]? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
            // No new type and no new engine: what the context was set up with.
            guard EVP_DigestInit_ex2(context.digest, nil, nil) == 1,
                EVP_DigestUpdate(context.digest, message, message.count) == 1,
                EVP_DigestFinal_ex(context.digest, digest.baseAddress, nil) == 1
            else { return nil }
            // 104 bytes hold any DER signature of P-256; 72 is its most.
            let capacity = 104
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { signature in
                var length = capacity
                guard EVP_PKEY_sign(context.signature, signature.baseAddress, &length, digest.baseAddress, 32) == 1
                else { return nil }
                return Array(signature[..<length])
            }
        }
    }

    private func makeContext() -> Context? {
        guard let type = EVP_MD_fetch(nil, "SHA256", nil) else { return nil }
        defer { EVP_MD_free(type) }
        guard let digest = EVP_MD_CTX_new() else { return nil }
        guard let signature = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
            EVP_MD_CTX_free(digest)
            return nil
        }
        let context = Context(digest: digest, signature: signature)
        guard EVP_DigestInit_ex2(digest, type, nil) == 1, EVP_PKEY_sign_init(signature) == 1,
            EVP_PKEY_CTX_set_signature_md(signature, type) == 1
        else {
            ERR_clear_error()
            Self.free(context)
            return nil
        }
        return context
    }

    private static func free(_ context: Context) {
        EVP_MD_CTX_free(context.digest)
        EVP_PKEY_CTX_free(context.signature)
    }
}
