package import AdAttribution
package import PostgresClient

/// The key that signed impressions are counted by: a line and a day.
package struct ImpressionKey: Sendable, Hashable {
    /// The line.
    ///
    /// An impression is never a developer copy.
    let line: LineKey
    /// The UTC day of signing.
    let day: PostgresDate

    /// The key for an impression that was signed at this time.
    ///
    /// An ad that is signed for both fidelity types counts as one impression.
    package init(_ request: ImpressionRequest, signedAt: PostgresTimestamp) {
        switch request {
        case .json(let impression), .storeKit(let impression, _), .openRTB(let impression, _):
            self.init(impression, signedAt: signedAt)
        case .jws(let impression):
            self.init(impression, signedAt: signedAt)
        }
    }

    /// The key for an impression of SKAdNetwork.
    package init(_ impression: Impression, signedAt: PostgresTimestamp) {
        day = PostgresDate(signedAt)
        line = LineKey(
            network: NetworkKey(
                environment: impression.environment, attributionProtocol: .skAdNetwork,
                adNetworkID: impression.adNetworkID.text),
            isDeveloperCopy: false, campaign: impression.campaign, advertisedAppID: impression.itunesItemID)
    }

    /// The key for an impression of AdAttributionKit.
    private init(_ impression: AdAttributionKitImpression, signedAt: PostgresTimestamp) {
        day = PostgresDate(signedAt)
        line = LineKey(
            network: NetworkKey(
                environment: impression.environment, attributionProtocol: .adAttributionKit,
                adNetworkID: impression.adNetworkIdentifier.text),
            isDeveloperCopy: false, campaign: .sourceIdentifier(impression.sourceIdentifier),
            advertisedAppID: impression.advertisedItemIdentifier)
    }
}
