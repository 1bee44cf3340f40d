import ECDSA
import Encodings

/// The secret that opens the admin listener to whoever has it.
///
/// It is kept as a digest, and compared in constant time. A token has so many possible values that nobody finds it from
/// its digest.
package struct BearerToken: Sendable, Hashable {
    /// What a token must be.
    ///
    /// Nobody guesses 32 characters. 256 fit in the form to sign in, however they are encoded.
    package static let rule = "must be 32 to 256 characters of ASCII, without blanks"
    /// The beginning of tokens that we make, by which scanners of secrets find one that was published.
    package static let prefix = "adatt_"

    private let digest: [UInt8]

    /// Takes a token; nil if it breaks the rule.
    package init?(_ text: some StringProtocol) {
        guard (32...256).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        digest = SHA256.digest(Array(text.utf8))
    }

    /// Takes a SHA-256 of a token, 64 hexadecimal digits; nil if it is none.
    package init?(sha256 text: String) {
        guard let digest = Hexadecimal.bytes(text), digest.count == 32 else { return nil }
        self.digest = digest
    }

    /// A new token of 256 random bits, and its text.
    package static func generate() -> (text: String, token: BearerToken) {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let text = prefix + Base64.encode(bytes, .urlSafe)
        return (text, BearerToken(digest: SHA256.digest(Array(text.utf8))))
    }

    private init(digest: [UInt8]) {
        self.digest = digest
    }

    /// The SHA-256 of the token, 64 hexadecimal digits.
    package var sha256: String { Hexadecimal.text(digest) }

    /// What people call the token, the first eight digits of its SHA-256; it tells nothing of the token.
    package var id: String { Hexadecimal.text(digest.prefix(4)) }

    /// Whether both are the same token; how long it takes tells nothing of them.
    package func isEqual(to other: BearerToken) -> Bool { digest.isEqualInConstantTime(to: other.digest) }

    /// 32 bytes that only who knows the digest and these bytes can make.
    package func derived(from bytes: [UInt8]) -> [UInt8] { SHA256.digest(digest + bytes) }
}

extension [UInt8] {
    /// Whether both are the same; how long it takes depends on the lengths only.
    ///
    /// Nothing is equal to an empty array.
    package func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        guard count == other.count, !isEmpty else { return false }
        return zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
