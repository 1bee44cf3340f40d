import AdAttribution

/// The labels of one postback in the metrics.
///
/// All values are from closed sets.
struct PostbackLabels: Sendable, Equatable {
    /// Version and environment; nil if the signature did not verify, because nothing in such a body can be trusted.
    private let verified: Verified?

    private struct Verified: Equatable {
        /// Nil for AdAttributionKit, which has none.
        let version: SKAdNetworkVersion?
        let environment: AttributionEnvironment
    }

    /// The labels of a postback whose signature did not verify.
    static let unknown = PostbackLabels(verified: nil)

    private init(verified: Verified?) {
        self.verified = verified
    }

    init(_ verified: VerifiedPostback) {
        self.init(version: verified.postback.version, environment: verified.environment)
    }

    /// The labels of a postback that was verified; the version is nil for AdAttributionKit.
    init(version: SKAdNetworkVersion?, environment: AttributionEnvironment) {
        verified = Verified(version: version, environment: environment)
    }

    var attributionProtocol: String {
        guard let verified else { return "unknown" }
        return (verified.version == nil ? AttributionProtocol.adAttributionKit : .skAdNetwork).rawValue
    }

    var version: String { verified.map { $0.version?.description ?? "none" } ?? "unknown" }

    var environment: String { verified?.environment.rawValue ?? "unknown" }
}

extension PostbackLabels {
    /// How many different labels there can be.
    static let count = 1 + 3 * versionCount

    /// The place of these labels among all, 0 ..< `count`; different labels have different places.
    var index: Int {
        guard let verified else { return 0 }
        // A version has two decimal digits.
        let version = verified.version.map { 1 + Int($0.major) * 10 + Int($0.minor) } ?? 0
        let environment =
            switch verified.environment {
            case .production: 0
            case .development: 1
            case .test: 2
            }
        return 1 + environment * Self.versionCount + version
    }

    /// No version, or two decimal digits.
    private static let versionCount = 1 + 100
}
