internal import COpenSSL

/// SHA-1 by libcrypto: for the hash of a device in receipts, and for nothing that a collision would break.
package enum SHA1 {
    /// The 20 bytes of the digest; empty only if libcrypto itself fails.
    package static func digest(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 20) { digest, count in
            let isDone = EVP_Digest(bytes, bytes.count, digest.baseAddress, nil, EVP_sha1(), nil) == 1
            count = isDone ? 20 : 0
        }
    }
}
