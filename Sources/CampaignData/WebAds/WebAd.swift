package import AdAttribution
package import PostgresClient

/// The link of a web ad, and what it stands for.
package struct WebAd: Sendable, Equatable {
    /// The nonce of the link, with which the device asks for the signed payload.
    package let nonce: Nonce
    /// The network that signs, in lower case.
    package let adNetworkID: AdNetworkID
    /// The campaign, 0…9999.
    package let sourceIdentifier: SourceIdentifier
    /// The advertised app.
    package let itunesItemID: AppID
    /// The host of the link's destination.
    package let destinationHost: String
    /// When the link was created.
    package let createdAt: PostgresTimestamp
    /// When the link expires.
    ///
    /// The device can't get the payload after that.
    package let expiresAt: PostgresTimestamp

    /// Takes all values.
    package init(
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
