import AdAttribution
package import HTTPTypes

/// The secret of the admin listener.
///
/// It is kept as a digest, and compared in constant time.
package struct BearerToken: Sendable {
    /// What a token must be.
    ///
    /// Nobody guesses 32 characters. 256 fit in the form to sign in, however they are encoded.
    package static let rule = "must be 32 to 256 characters of ASCII, without blanks"

    private let digest: [UInt8]

    /// Takes a token; nil if it breaks the rule.
    package init?(_ text: String) {
        guard (32...256).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        digest = SHA256.digest(Array(text.utf8))
    }

    /// The token that a request has as `Authorization: Bearer`; nil if it has none.
    package static func offered(by headers: HTTPFields) -> Substring? {
        guard let value = headers[.authorization] else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }

    /// Whether a text is the token.
    func isEqual(to text: some StringProtocol) -> Bool {
        SHA256.digest(Array(text.utf8)).isEqualInConstantTime(to: digest)
    }

    /// 32 bytes that only who has the token and these bytes can make.
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
