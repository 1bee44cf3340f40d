internal import COpenSSL

/// SHA-256 by libcrypto.
package enum SHA256 {
    /// The 32 bytes of the digest; empty only if libcrypto itself fails.
    ///
    /// Nothing is equal to an empty digest.
    package static func digest(_ bytes: [UInt8]) -> [UInt8] {
        guard let type = type.pointer, let context = EVP_MD_CTX_new() else { return [] }
        defer { EVP_MD_CTX_free(context) }
        return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            let isDone =
                EVP_DigestInit_ex2(context, type, nil) == 1
                && EVP_DigestUpdate(context, bytes, bytes.count) == 1
                && EVP_DigestFinal_ex(context, digest.baseAddress, nil) == 1
            count = isDone ? 32 : 0
        }
    }

    /// The algorithm, which is looked up by name once, because the look-up takes longer than a short digest.
    private static let type = Algorithm()

    private struct Algorithm: @unchecked Sendable {
        // Sendable: libcrypto counts its references, and nobody changes it.
        let pointer = EVP_MD_fetch(nil, "SHA256", nil)
    }
}
