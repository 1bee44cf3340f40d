/// What only one of the two frameworks puts into a postback.
public enum PostbackDetails: Sendable {
    /// SKAdNetwork.
    case skAdNetwork(SKAdNetwork)
    /// AdAttributionKit.
    case adAttributionKit(AdAttributionKit)

    /// A postback of SKAdNetwork.
    public struct SKAdNetwork: Sendable {
        /// The version that made the postback.
        public let version: SKAdNetworkVersion
        /// Whether this Apple Account had the app before; nil in 1.0.
        public let redownload: Bool?
        /// How the ad was presented; nil before 2.2.
        public let fidelityType: FidelityType?
        /// Apple's signature as ASN.1 DER.
        let signature: [UInt8]
        /// How this version signs: the row of the table.
        let layout: SignedLayout

        package init(
            version: SKAdNetworkVersion, redownload: Bool?, fidelityType: FidelityType?, signature: [UInt8],
            layout: SignedLayout
        ) {
            self.version = version
            self.redownload = redownload
            self.fidelityType = fidelityType
            self.signature = signature
            self.layout = layout
        }
    }

    /// A postback of AdAttributionKit.
    public struct AdAttributionKit: Sendable {
        /// What led to the postback.
        public let conversionType: ConversionType
        /// Whether the ad was seen or tapped, unsigned; nil where absent.
        public let adInteractionType: AdInteractionType?
        /// The marketplace that the app came from; nil at the lowest privacy tier.
        public let marketplaceIdentifier: MarketplaceIdentifier?
        /// The signed part, with the name of its key.
        let jws: CompactJWS

        /// `kid`: the name of the key that is said to have signed.
        public var keyID: String { jws.keyID }
    }

    /// The part of SKAdNetwork, if that is what it is.
    public var skAdNetwork: SKAdNetwork? {
        guard case .skAdNetwork(let details) = self else { return nil }
        return details
    }

    /// The part of AdAttributionKit, if that is what it is.
    public var adAttributionKit: AdAttributionKit? {
        guard case .adAttributionKit(let details) = self else { return nil }
        return details
    }
}
