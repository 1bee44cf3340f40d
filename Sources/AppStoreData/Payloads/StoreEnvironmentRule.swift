package import AdAttribution

/// In which of our environments something of the App Store counts.
package enum StoreEnvironmentRule {
    /// Ours, from the one that Apple states and from the root.
    ///
    /// What a test root signs is a test, whatever it states. Xcode signs with a certificate of its own.
    package static func environment(_ stated: StoreEnvironment, isOfTestRoot: Bool) -> AttributionEnvironment {
        guard !isOfTestRoot else { return .test }
        return switch stated {
        case .production: .production
        case .sandbox: .development
        case .xcode, .localTesting: .test
        }
    }
}
