package import AdAttribution
package import PostgresClient

/// The key that signed impressions are counted by: a line and a quarter of an hour.
package struct ImpressionKey: Sendable, Hashable {
    /// The line.
    ///
    /// An impression is never a developer copy.
    let line: LineKey
    /// When the quarter of an hour of signing began.
    ///
    /// The days of every time zone begin with a quarter of an hour, so PostgreSQL can tell the day.
    let quarter: PostgresTimestamp

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
        quarter = signedAt.quarter
        line = LineKey(
            network: NetworkKey(
                environment: impression.environment, attributionProtocol: .skAdNetwork,
                adNetworkID: impression.adNetworkID.text),
            isDeveloperCopy: false, campaign: impression.campaign, advertisedAppID: impression.itunesItemID)
    }

    /// The key for an impression of AdAttributionKit.
    private init(_ impression: AdAttributionKitImpression, signedAt: PostgresTimestamp) {
        quarter = signedAt.quarter
        line = LineKey(
            network: NetworkKey(
                environment: impression.environment, attributionProtocol: .adAttributionKit,
                adNetworkID: impression.adNetworkIdentifier.text),
            isDeveloperCopy: false, campaign: .sourceIdentifier(impression.sourceIdentifier),
            advertisedAppID: impression.advertisedItemIdentifier)
    }
}

extension PostgresTimestamp {
    /// The quarter of an hour that it is in.
    fileprivate var quarter: PostgresTimestamp {
        let length: Int64 = 900_000_000
        let (whole, rest) = microsecondsSince2000.quotientAndRemainder(dividingBy: length)
        return PostgresTimestamp(microsecondsSince2000: (rest < 0 ? whole - 1 : whole) * length)
    }
}
