package import AdAttribution

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

/// The number of an app or a web site that showed an ad: `source` in every table.
///
/// An app is its own App Store id. The number of a domain follows from its text, and the domain has a row in
/// `attribution.source`. See migrations/0001_dimensions.sql.
package enum SourceNumber {
    /// The number of a postback that names neither app nor domain.
    package static let none: Int64 = 0
    private static let developmentApp = Int64.min

    /// The number of an app, which is never below 0 but for development-signed apps.
    static func number(of app: AppID) -> Int64 { app == .development ? developmentApp : app.value }

    /// The number of a domain unless another domain had it before: -1 less 62 bits of the SHA-256 of its text.
    ///
    /// It is -1 to -2^62. `attribution.source_number` computes the same.
    static func number(of domain: SourceDomain) -> Int64 {
        let bits = SHA256.digest(Array(domain.text.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return -1 - Int64(bits >> 2)
    }

    /// The number of what a postback names as its source; nil if it is a domain whose number is not known.
    static func number(of source: AttributionSource?, domain: (SourceDomain) -> Int64?) -> Int64? {
        switch source {
        case nil: none
        case .app(let app)?: number(of: app)
        case .domain(let name)?: domain(name)
        }
    }

    /// The app that has a number; nil if a domain has it, or if it is `none`.
    package static func app(_ number: Int64) -> AppID? {
        switch number {
        case developmentApp: .development
        case none: nil
        default: AppID(number)
        }
    }
}
