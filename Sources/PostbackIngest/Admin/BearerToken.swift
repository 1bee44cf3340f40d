import AdAttribution
import HTTPTypes

/// The secret of the admin listener.
///
/// It is kept as a digest, and compared in constant time.
package struct BearerToken: Sendable {
    private let digest: [UInt8]

    /// Takes a token; nil if the text is empty.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        digest = SHA256.digest(Array(text.utf8))
    }

    /// Whether the request has `Authorization: Bearer` with this token.
    func allows(_ headers: HTTPFields) -> Bool {
        guard let value = headers[.authorization] else { return false }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return false }
        return isEqual(to: parts[1])
    }

    /// Whether a text is the token.
    func isEqual(to text: some StringProtocol) -> Bool {
        SHA256.digest(Array(text.utf8)).isEqualInConstantTime(to: digest)
    }

    /// 32 bytes that only who has the token and these bytes can make.
    func derived(from bytes: [UInt8]) -> [UInt8] { SHA256.digest(digest + bytes) }
}

extension [UInt8] {
    /// Whether both are the same; how long it takes depends on the lengths only.
    ///
    /// Nothing is equal to an empty array.
    func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        guard count == other.count, !isEmpty else { return false }
        return zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
