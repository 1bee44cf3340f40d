import AdAttribution

/// The labels of one postback in the metrics.
///
/// All values are from closed sets.
package struct PostbackLabels: Sendable, Hashable {
    /// Version and environment; nil if the signature did not verify, because nothing in such a body can be trusted.
    private let verified: Verified?

    private struct Verified: Hashable {
        /// Nil for AdAttributionKit, which has none.
        let version: SKAdNetworkVersion?
        let environment: AttributionEnvironment
    }

    /// The labels of a postback whose signature did not verify.
    package static let unknown = PostbackLabels(verified: nil)

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
