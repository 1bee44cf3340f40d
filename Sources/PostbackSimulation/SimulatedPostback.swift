import AdAttribution
import Encodings

/// A simulated postback before it is signed.
///
/// It is a function of the configuration's seed and its number.
struct SimulatedPostback: Sendable {
    let layout: PostbackLayout
    let traits: PostbackTraits
    let adNetworkID: AdNetworkID
    let advertisedAppID: AppID
    let transactionID: TransactionID
    let campaign: Campaign
    let redownload: Bool
    let fidelityType: FidelityType
    let source: AttributionSource?
    let countryCode: CountryCode?
    let marketplaceIdentifier: MarketplaceIdentifier?
    let adInteractionType: AdInteractionType
    /// Whether a postback of 1.0 has its version.
    let namesVersion: Bool
    /// Draws one of the examples of a field that the simulation knows nothing else about.
    private let examples: @Sendable (PostbackField) -> FieldValue?

    /// Draws the postback with a number.
    ///
    /// - Parameter choices: Those of the configuration.
    init?(_ number: UInt32, _ configuration: PostbackSimulator.Configuration, _ choices: SimulationChoices) {
        let traits = PostbackTraits(number, configuration)
        // These choices are made for every kind, so that postbacks of different kinds are similar.
        var random = SeededRandom(seed: configuration.seed, stream: UInt64(number))
        let network = configuration.adNetworkIDs[random.below(configuration.adNetworkIDs.count)]
        let line = choices.line(&random, number: number)
        advertisedAppID = configuration.advertisedAppIDs[line.app]
        let transaction = Self.uuid(random.next(), random.next(), occasion: configuration.occasion)
        redownload = random.chance(configuration.redownloadRate)
        let namesSource = random.chance(configuration.sourceAppRate)
        let sourceApp = choices.sourceApp(&random, number: number)
        fidelityType = random.chance(0.5) ? .storeKitRendered : .viewThrough
        // Choices for later kinds come after the others.
        let isSpeltOtherwise = random.chance(configuration.otherSpellingRate)
        let isUpperCase = random.chance(0.5)
        let isWeb = random.chance(configuration.sourceDomainRate)
        let domain = choices.sourceDomain(&random, number: number)
        let country = random.chance(0.5) ? CountryCode(Self.countries[random.below(Self.countries.count)]) : nil
        let marketplace = random.chance(0.9) ? Self.appStore : Self.otherMarketplace
        let isClick = random.chance(0.5)
        let digits = 2 + random.below(3)
        namesVersion = random.chance(0.5)

        let isKit = traits.kind == .adAttributionKit
        guard let layout = traits.kind.layout(in: configuration.versions),
            let adNetworkID = isSpeltOtherwise ? Self.otherSpelling(of: network) : network,
            let transactionID = TransactionID(isKit && isUpperCase ? transaction.uppercased() : transaction),
            let campaign = Self.campaign(line.campaign, traits, digits)
        else { return nil }
        self.layout = layout
        self.traits = traits
        examples = { field in
            var random = SeededRandom(seed: configuration.seed &+ Self.hash(field.name), stream: UInt64(number))
            return field.examples.isEmpty ? nil : field.examples[random.below(field.examples.count)]
        }
        self.adNetworkID = adNetworkID
        self.transactionID = transactionID
        self.campaign = campaign
        let isFullTier = traits.tier == 3 && traits.window == 0 && traits.didWin
        let app = sourceApp.map(AttributionSource.app)
        let web = domain.map(AttributionSource.domain)
        source =
            isFullTier && namesSource && layout.signs(.sourceAppID)
            ? (isWeb && layout.signs(.sourceDomain) ? web : app) : nil
        countryCode = isFullTier && traits.hasWindows ? country : nil
        marketplaceIdentifier = isKit && traits.tier > 0 ? MarketplaceIdentifier(marketplace) : nil
        adInteractionType = isClick || traits.conversionType == .reengagement ? .click : .view
    }

    /// A postback whose values are known.
    ///
    /// A field that the simulation knows nothing about has its first example.
    init(
        layout: PostbackLayout, traits: PostbackTraits, adNetworkID: AdNetworkID, advertisedAppID: AppID,
        transactionID: TransactionID, campaign: Campaign, redownload: Bool, fidelityType: FidelityType,
        source: AttributionSource?, countryCode: CountryCode?, marketplaceIdentifier: MarketplaceIdentifier?,
        adInteractionType: AdInteractionType, namesVersion: Bool
    ) {
        self.layout = layout
        self.traits = traits
        self.adNetworkID = adNetworkID
        self.advertisedAppID = advertisedAppID
        self.transactionID = transactionID
        self.campaign = campaign
        self.redownload = redownload
        self.fidelityType = fidelityType
        self.source = source
        self.countryCode = countryCode
        self.marketplaceIdentifier = marketplaceIdentifier
        self.adInteractionType = adInteractionType
        self.namesVersion = namesVersion
        examples = { $0.examples.first }
    }

    /// The campaign of the kind.
    ///
    /// A source identifier has four digits, from 1001 on, and is cut to the last ones of its tier.
    private static func campaign(_ number: Int, _ traits: PostbackTraits, _ digits: Int) -> Campaign? {
        guard traits.hasWindows else { return CampaignID(Int64(number)).map(Campaign.campaignID) }
        let shown = traits.tier < 2 || traits.window > 0 ? 2 : digits
        return SourceIdentifier(String(String(10_000 + (1_000 + number) % 10_000).suffix(shown))).map(
            Campaign.sourceIdentifier)
    }

    /// The same network in another spelling: with capitals, or with the other protocol's suffix.
    private static func otherSpelling(of network: AdNetworkID) -> AdNetworkID? {
        let suffix = ".skadnetwork"
        guard network.text.hasSuffix(suffix) else { return AdNetworkID(network.text.capitalizedFirst) }
        return AdNetworkID(network.text.dropLast(suffix.count).capitalizedFirst + ".adattributionkit")
    }

    /// A random UUID (version 4) from 128 random bits, in lower case; another one for each occasion.
    private static func uuid(_ high: UInt64, _ low: UInt64, occasion: UInt64) -> String {
        guard occasion > 0 else { return uuid(high, low) }
        var random = SeededRandom(seed: high ^ occasion, stream: low)
        return uuid(random.next(), random.next())
    }

    /// A random UUID (version 4) from 128 random bits, in lower case.
    static func uuid(_ high: UInt64, _ low: UInt64) -> String {
        let halves: [UInt64] = [high & ~0xF000 | 0x4000, low & ~(0b11 << 62) | 0b10 << 62]
        var bytes: [UInt8] = []
        for half in halves {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: half >> shift)) }
        }
        var digits = Hexadecimal.text(bytes)
        for offset in [20, 16, 12, 8] {
            digits.insert("-", at: digits.index(digits.startIndex, offsetBy: offset))
        }
        return digits
    }

    /// The value of a field of the layout, or nil if it is absent.
    func value(of field: PostbackField) -> FieldValue? {
        switch field.column {
        case .version: layout.version.map { .text($0.description) }
        case .adNetworkID: .text(adNetworkID.text)
        case .campaign: field.kind.value(campaign.text) ?? Int64(campaign.text).flatMap { field.kind.value($0) }
        case .advertisedAppID: .integer(advertisedAppID.value)
        case .transactionID: .uuid(transactionID.uuid, text: transactionID.text)
        case .sourceAppID: (source?.appID?.value).map { .integer($0) }
        case .sourceDomain: (source?.domain?.text).map { .text($0) }
        case .didWin: .boolean(traits.didWin)
        case .sequenceIndex: .integer(Int64(traits.window))
        case .trait("redownload"): .boolean(redownload)
        case .trait("fidelity_type"): .integer(Int64(fidelityType.rawValue))
        case .trait("conversion_type"): .text(traits.conversionType.rawValue)
        case .trait("marketplace_identifier"): (marketplaceIdentifier?.text).map { .text($0) }
        case .trait("ad_interaction_type"): .text(adInteractionType.rawValue)
        case .trait("country_code"): (countryCode?.text).map { .text($0) }
        case .trait, .none: examples(field)
        }
    }

    /// A number that a name decides, on every machine: FNV-1a.
    private static func hash(_ name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static let countries = ["DE", "US", "JP"]
    static let appStore = "com.apple.AppStore"
    static let otherMarketplace = "com.example.marketplace"
}

extension StringProtocol {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
