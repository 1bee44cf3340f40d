package import ECDSA

/// What an installation trusts of the App Store: apps, secrets, and roots of tests beside Apple's.
package struct StoreTrust: Sendable {
    /// The apps whose events are taken, by bundle id.
    package let apps: [String: StoreApp]
    /// Roots of chains that count as tests.
    package let testRoots: [Certificate]
    /// What hashes the ids that apps give their customers; nil if these ids are not kept at all.
    package let accountKey: HMACKey?
    private let secrets: [String: [SharedSecret]]

    /// Takes the parts; of two apps with one bundle id the later one is kept.
    package init(apps: [StoreApp], sharedSecrets: [SharedSecret], testRoots: [Certificate], accountKey: HMACKey?) {
        self.apps = Dictionary(apps.map { ($0.bundleID, $0) }) { $1 }
        self.testRoots = testRoots
        self.accountKey = accountKey
        secrets = Dictionary(grouping: sharedSecrets, by: \.bundleID)
    }

    /// Trusts Apple's roots, and knows no app.
    package static let none = StoreTrust(apps: [], sharedSecrets: [], testRoots: [], accountKey: nil)

    /// Whether a secret is one of an app's; false if the app has none.
    ///
    /// How long it takes tells nothing of the right one.
    package func takes(secret: [UInt8], of bundleID: String) -> Bool {
        (secrets[bundleID] ?? []).reduce(false) { $1.isEqual(to: secret) || $0 }
    }
}
