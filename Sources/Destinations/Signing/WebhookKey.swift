package import ECDSA
import Encodings

/// A key of Standard Webhooks 1.0.0.
///
/// No description shows it.
package enum WebhookKey: Sendable {
    /// `whsec_` and base64 of 24 to 64 bytes: HMAC-SHA256, for both sides.
    case hmac(HMACKey)
    /// `whsk_` and base64 of the seed of an Ed25519 key, 32 bytes, or of seed and public key, 64 bytes.
    case ed25519Private(Ed25519PrivateKey)
    /// `whpk_` and base64 of an Ed25519 public key, 32 bytes.
    case ed25519Public(Ed25519PublicKey)

    /// What a text must be, to complete "must be …".
    package static let rule = """
        whsec_ and base64 of 24 to 64 bytes, whsk_ and base64 of 32 bytes (or 64 with the public key), \
        or whpk_ and base64 of 32 bytes
        """

    /// What a key that signs must be, to complete "must be …".
    package static let signingRule = "a key that signs: whsec_ and base64, or whsk_ and base64"

    /// Reads the text of a key; nil if it is none.
    package init?(_ text: String) {
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: "_")) else { return nil }
        let encoded = Array(text.utf8[text.utf8.index(after: end)...])
        guard let bytes = encoded.withUnsafeBufferPointer({ Base64.decode($0) }) else { return nil }
        switch text[..<end] {
        case "whsec":
            guard (24...64).contains(bytes.count) else { return nil }
            self = .hmac(HMACKey(bytes))
        case "whsk":
            guard bytes.count == 32 || bytes.count == 64, let key = Ed25519PrivateKey(seed: Array(bytes.prefix(32))),
                bytes.count == 32 || key.publicKey.bytes == Array(bytes.suffix(32))
            else { return nil }
            self = .ed25519Private(key)
        case "whpk":
            guard let key = Ed25519PublicKey(bytes) else { return nil }
            self = .ed25519Public(key)
        default: return nil
        }
    }

    /// The version of its signatures: `v1` or `v1a`.
    var version: String {
        switch self {
        case .hmac: "v1"
        case .ed25519Private, .ed25519Public: "v1a"
        }
    }

    /// The signature of a content; nil if this is a public key, or if libcrypto fails.
    func signature(of content: [UInt8]) -> [UInt8]? {
        switch self {
        case .hmac(let key): key.code(of: content)
        case .ed25519Private(let key): key.signature(of: content)
        case .ed25519Public: nil
        }
    }

    /// Whether a signature is that of a content under this key.
    func isValid(_ signature: [UInt8], for content: [UInt8]) -> Bool {
        switch self {
        case .hmac(let key): key.isValid(code: signature, for: content)
        case .ed25519Private(let key): key.publicKey.isValid(signature: signature, for: content)
        case .ed25519Public(let key): key.isValid(signature: signature, for: content)
        }
    }
}
