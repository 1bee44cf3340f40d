package import ECDSA

/// What opens the App Store Server API to an app's developer: ids of App Store Connect, and the private key that goes
/// with them.
///
/// The key signs tokens, and never leaves this process.
package struct StoreAPICredentials: Sendable {
    /// The app whose data may be asked for.
    package let bundleID: String
    /// The developer's team in App Store Connect, a UUID.
    package let issuerID: String
    /// The id of the key in App Store Connect, such as `2X9R4HXF34`.
    package let keyID: String
    /// The private key, on P-256.
    package let key: SigningKey

    /// Takes the values.
    package init(bundleID: String, issuerID: String, keyID: String, key: SigningKey) {
        self.bundleID = bundleID
        self.issuerID = issuerID
        self.keyID = keyID
        self.key = key
    }
}
