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

    /// A digest of bytes that come in parts.
    package final class Parts {
        private let context = EVP_MD_CTX_new()
        private var isGood: Bool

        /// Begins without bytes.
        package init() {
            guard let type = SHA256.type.pointer else {
                isGood = false
                return
            }
            isGood = EVP_DigestInit_ex2(context, type, nil) == 1
        }

        deinit {
            EVP_MD_CTX_free(context)
        }

        /// Adds bytes.
        package func append(_ bytes: [UInt8]) {
            isGood = isGood && EVP_DigestUpdate(context, bytes, bytes.count) == 1
        }

        /// The 32 bytes of the digest; empty only if libcrypto itself fails.
        ///
        /// Nothing can be added afterwards.
        package func finished() -> [UInt8] {
            defer { isGood = false }
            return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
                count = isGood && EVP_DigestFinal_ex(context, digest.baseAddress, nil) == 1 ? 32 : 0
            }
        }
    }

    /// The algorithm, which is looked up by name once, because the look-up takes longer than a short digest.
    private static let type = Algorithm()

    private struct Algorithm: @unchecked Sendable {
        // Sendable: libcrypto counts its references, and nobody changes it.
        let pointer = EVP_MD_fetch(nil, "SHA256", nil)
    }
}
