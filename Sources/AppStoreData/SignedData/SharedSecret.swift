import ECDSA

/// The secret that Apple puts into notifications V1 of an app.
///
/// It is kept as a digest, and no description shows it.
package struct SharedSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The app.
    package let bundleID: String
    private let digest: [UInt8]

    /// Takes the bytes of the secret.
    package init(bundleID: String, secret: [UInt8]) {
        self.bundleID = bundleID
        digest = SHA256.digest(secret)
    }

    /// Whether this is the secret; how long it takes tells nothing of the right one.
    package func isEqual(to secret: [UInt8]) -> Bool {
        let other = SHA256.digest(secret)
        // libcrypto gives no digest if it fails.
        guard digest.count == 32, other.count == 32 else { return false }
        return zip(digest, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Says only whose it is.
    package var description: String { "the shared secret of \(bundleID)" }

    /// Shows nothing.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
