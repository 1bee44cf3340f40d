public import AdAttribution
public import PostgresClient

/// What signed impressions are counted by: a line and a day.
public struct ImpressionKey: Sendable, Hashable {
    /// The campaign; an impression is never a developer's copy.
    let line: LineKey
    /// The UTC day of signing.
    let day: PostgresDate

    /// The row that an impression signed at this time counts in.
    ///
    /// An ad that is signed once for each fidelity type is one impression.
    public init(_ request: ImpressionRequest, signedAt: PostgresTimestamp) {
        switch request {
        case .json(let impression), .storeKit(let impression), .openRTB(let impression, _):
            self.init(impression, signedAt: signedAt)
        case .jws(let impression):
            self.init(impression, signedAt: signedAt)
        }
    }

    /// The row that an impression of SKAdNetwork counts in.
    public init(_ impression: Impression, signedAt: PostgresTimestamp) {
        day = PostgresDate(signedAt)
        line = LineKey(
            network: NetworkKey(
                environment: impression.environment, attributionProtocol: .skAdNetwork,
                adNetworkID: impression.adNetworkID.text),
            isDeveloperCopy: false, campaign: impression.campaign, advertisedAppID: impression.itunesItemID)
    }

    /// The row that an impression of AdAttributionKit counts in.
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
