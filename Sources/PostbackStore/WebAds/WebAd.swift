public import AdAttribution
public import PostgresClient

/// What an attributable web link stands for.
public struct WebAd: Sendable, Equatable {
    /// What the link's payload is asked for by.
    public let nonce: Nonce
    /// The network that signs, in lower case.
    public let adNetworkID: AdNetworkID
    /// The campaign, 0…9999.
    public let sourceIdentifier: SourceIdentifier
    /// The advertised app.
    public let itunesItemID: AppID
    /// The host of the link's destination.
    public let destinationHost: String
    /// When the link was made.
    public let createdAt: PostgresTimestamp
    /// Until when its payload may be asked for.
    public let expiresAt: PostgresTimestamp

    /// A web ad out of its parts.
    public init(
        nonce: Nonce, adNetworkID: AdNetworkID, sourceIdentifier: SourceIdentifier, itunesItemID: AppID,
        destinationHost: String, createdAt: PostgresTimestamp, expiresAt: PostgresTimestamp
    ) {
        self.nonce = nonce
        self.adNetworkID = adNetworkID
        self.sourceIdentifier = sourceIdentifier
        self.itunesItemID = itunesItemID
        self.destinationHost = destinationHost
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
