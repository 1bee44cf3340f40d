package import AdAttribution
package import PostgresClient

/// A network, as it is seen in one environment of one protocol: a row of `attribution.network`, without its number.
package struct NetworkKey: Sendable, Hashable {
    /// Where the postbacks come from: production, development or test.
    package let environment: AttributionEnvironment
    /// SKAdNetwork or AdAttributionKit.
    package let attributionProtocol: AttributionProtocol
    /// The ad network id, in lower case.
    package let adNetworkID: String

    /// Takes the values.
    package init(environment: AttributionEnvironment, attributionProtocol: AttributionProtocol, adNetworkID: String) {
        self.environment = environment
        self.attributionProtocol = attributionProtocol
        self.adNetworkID = adNetworkID
    }

    /// Hashes only the id, because the other two have few values.
    ///
    /// Equality compares everything.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(adNetworkID)
    }
}

/// What a postback counts for: a row of `attribution.line`, without its number.
package struct LineKey: Sendable, Hashable {
    /// The network that the ad belongs to.
    package let network: NetworkKey
    /// Whether it is an app developer's copy of another network's postback.
    package let isDeveloperCopy: Bool
    /// The campaign of the network.
    package let campaign: Campaign
    /// The app that is advertised.
    package let advertisedAppID: AppID

    /// Takes the values.
    package init(network: NetworkKey, isDeveloperCopy: Bool, campaign: Campaign, advertisedAppID: AppID) {
        self.network = network
        self.isDeveloperCopy = isDeveloperCopy
        self.campaign = campaign
        self.advertisedAppID = advertisedAppID
    }

    /// Hashes everything but the flag.
    ///
    /// Equality compares everything.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(network)
        hasher.combine(campaign)
        hasher.combine(advertisedAppID)
    }
}

extension LineKey {
    /// Reads environment, protocol, ad_network_id, developer_copy, campaign_type, campaign and advertised_app_id; nil if
    /// one of them has a value that this build does not know.
    package init?(_ columns: inout ColumnCursor) throws(PostgresError) {
        let environment = AttributionEnvironment(rawValue: try columns.next())
        let attributionProtocol = AttributionProtocol(rawValue: try columns.next())
        let adNetworkID = try columns.next(String.self)
        let isDeveloperCopy = try columns.next(Bool.self)
        let campaign = Campaign(type: try columns.next(), text: try columns.next())
        let advertisedAppID = AppID(try columns.next(Int64.self))
        guard let environment, let attributionProtocol, let campaign, let advertisedAppID else { return nil }
        self.init(
            network: NetworkKey(
                environment: environment, attributionProtocol: attributionProtocol, adNetworkID: adNetworkID),
            isDeveloperCopy: isDeveloperCopy, campaign: campaign, advertisedAppID: advertisedAppID)
    }
}

extension Campaign {
    fileprivate init?(type: String, text: String) {
        let campaignID = Int64(text).flatMap(CampaignID.init).map(Campaign.campaignID)
        let sourceIdentifier = SourceIdentifier(text).map(Campaign.sourceIdentifier)
        guard let campaign = [campaignID, sourceIdentifier].compactMap(\.self).first(where: { $0.type == type }),
            campaign.text == text
        else { return nil }
        self = campaign
    }
}

/// The facts of a postback that have few values each: a row of `attribution.traits`, without its number.
package struct TraitsKey: Sendable, Hashable {
    /// The name of the key that verified the postback.
    package let signingKey: String
    /// The version of SKAdNetwork; nil for AdAttributionKit, whose postbacks carry none.
    package let version: SKAdNetworkVersion?
    /// Whether changes that a relay is known to make were undone before the signature was checked.
    package let isRelayNormalised: Bool
    /// The values of the columns that the table of versions names.
    let values: [FieldValue?]
    private let columns: [TraitColumn]

    package init(
        signingKey: String, version: SKAdNetworkVersion?, isRelayNormalised: Bool, values: [FieldValue?],
        of columns: [TraitColumn]
    ) {
        self.signingKey = signingKey
        self.version = version
        self.isRelayNormalised = isRelayNormalised
        self.values = values
        self.columns = columns
    }

    /// What stands in `version` for AdAttributionKit.
    package static let noVersion = "none"

    /// Compares the facts, not the columns.
    package static func == (left: TraitsKey, right: TraitsKey) -> Bool {
        left.signingKey == right.signingKey && left.version == right.version
            && left.isRelayNormalised == right.isRelayNormalised && left.values == right.values
    }

    /// Hashes only the facts that have more than a few values.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(values)
    }

    /// The value of a column; nil if the postback does not tell, or if the table of versions has no such column.
    package subscript(_ column: String) -> FieldValue? {
        zip(columns, values).first { $0.0.name == column }?.1
    }

    /// SKAdNetwork: whether the app was installed before; nil if the postback does not tell.
    package var redownload: Bool? { self["redownload"]?.boolean }
    /// AdAttributionKit: what the postback counts as.
    package var conversionType: ConversionType? {
        self["conversion_type"]?.text.flatMap(ConversionType.init(rawValue:))
    }
    /// SKAdNetwork: how the ad was presented; nil if the postback does not tell.
    package var fidelityType: FidelityType? {
        self["fidelity_type"]?.integer.flatMap(UInt8.init(exactly:)).flatMap(FidelityType.init(rawValue:))
    }
    /// AdAttributionKit: whether the ad was seen or tapped.
    package var adInteractionType: AdInteractionType? {
        self["ad_interaction_type"]?.text.flatMap(AdInteractionType.init(rawValue:))
    }
    /// AdAttributionKit: where the app was installed from.
    package var marketplaceIdentifier: String? { self["marketplace_identifier"]?.text }
    /// The country, if the crowd is large enough.
    package var countryCode: String? { self["country_code"]?.text }
}

/// The rows of the dimensions that a postback belongs to, by their keys.
package struct DimensionKeys: Sendable, Hashable {
    /// What it counts for.
    package let line: LineKey
    /// Nil if the postback names neither app nor domain.
    package let source: AttributionSource?
    /// Its other facts.
    package let traits: TraitsKey

    /// Reads what a postback says.
    ///
    /// - Parameter columns: The columns of traits.
    package init(_ verified: VerifiedPostback, _ columns: [TraitColumn]) {
        let postback = verified.postback
        line = LineKey(
            network: NetworkKey(
                environment: verified.environment, attributionProtocol: postback.attributionProtocol,
                adNetworkID: postback.adNetworkID.lowercased),
            isDeveloperCopy: verified.isDeveloperCopy, campaign: postback.campaign,
            advertisedAppID: postback.advertisedAppID)
        source = postback.source
        traits = TraitsKey(
            signingKey: verified.signingKey, version: postback.version,
            isRelayNormalised: postback.isRelayNormalised, values: postback.traits(columns), of: columns)
    }
}

/// The rows of the dimensions that a postback belongs to, by their numbers.
package struct DimensionIDs: Sendable, Hashable {
    let network: Int16
    package let line: Int32
    /// See `SourceNumber`.
    package let source: Int64
    package let traits: Int32
}
