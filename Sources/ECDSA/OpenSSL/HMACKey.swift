internal import COpenSSL

/// A key of HMAC-SHA256, by libcrypto.
///
/// It is secret, so no description shows it.
package struct HMACKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    /// Takes the bytes of the key.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The 32 bytes of a message's code; nil only if libcrypto itself fails.
    package func code(of message: [UInt8]) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        guard
            HMAC(EVP_sha256(), bytes, Int32(clamping: bytes.count), message, message.count, &output, &length) != nil,
            length == 32
        else { return nil }
        return output
    }

    /// Whether a code is that of a message; how long it takes tells nothing of the right one.
    package func isValid(code: [UInt8], for message: [UInt8]) -> Bool {
        guard let right = self.code(of: message), right.count == code.count else { return false }
        return CRYPTO_memcmp(right, code, code.count) == 0
    }

    /// Says only that there is one.
    package var description: String { "a key of HMAC-SHA256" }

    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
