public import AdAttribution
public import PostgresClient

/// The link of a web ad, and what it stands for.
public struct WebAd: Sendable, Equatable {
    /// The nonce of the link, with which the device asks for the signed payload.
    public let nonce: Nonce
    /// The network that signs, in lower case.
    public let adNetworkID: AdNetworkID
    /// The campaign, 0…9999.
    public let sourceIdentifier: SourceIdentifier
    /// The advertised app.
    public let itunesItemID: AppID
    /// The host of the link's destination.
    public let destinationHost: String
    /// When the link was created.
    public let createdAt: PostgresTimestamp
    /// When the link expires.
    ///
    /// The device can't get the payload after that.
    public let expiresAt: PostgresTimestamp

    /// Takes all values.
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
