internal import COpenSSL

/// SHA-256 by libcrypto.
package enum SHA256 {
    /// The 32 bytes of the digest; empty only where libcrypto itself fails, which matches no digest.
    package static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil) == 1, length == 32 else { return [] }
        return digest
    }
}
