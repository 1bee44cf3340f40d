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
        let offered = SHA256.digest(Array(parts[1].utf8))
        guard offered.count == digest.count, !digest.isEmpty else { return false }
        return zip(offered, digest).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
