import AdAttribution
import Encodings

/// A simulated postback, not signed yet: a function of the configuration's seed and its number.
struct SimulatedPostback: Sendable {
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
    /// Whether a postback of 1.0 carries its version.
    let namesVersion: Bool

    init?(_ number: UInt32, _ configuration: PostbackSimulator.Configuration) {
        let traits = PostbackTraits(number, configuration)
        // These draws are made for every kind, so that the postbacks of two kinds resemble each other.
        var random = SeededRandom(seed: configuration.seed, stream: UInt64(number))
        let network = configuration.adNetworkIDs[random.below(configuration.adNetworkIDs.count)]
        advertisedAppID = configuration.advertisedAppIDs[random.below(configuration.advertisedAppIDs.count)]
        let campaignNumber = random.below(configuration.campaigns) + 1
        let transaction = Self.uuid(random.next(), random.next())
        redownload = random.chance(configuration.redownloadRate)
        let namesSource = random.chance(configuration.sourceAppRate)
        let sourceApp = AppID(Self.firstSourceApp + Int64(random.below(Self.sourceApps)))
        fidelityType = random.chance(0.5) ? .storeKitRendered : .viewThrough
        // What came with later kinds is drawn behind the rest.
        let isSpeltOtherwise = random.chance(configuration.otherSpellingRate)
        let isUpperCase = random.chance(0.5)
        let isWeb = random.chance(0.2)
        let domain = SourceDomain(Self.domains[random.below(Self.domains.count)])
        let country = random.chance(0.5) ? CountryCode(Self.countries[random.below(Self.countries.count)]) : nil
        let marketplace = random.chance(0.9) ? Self.appStore : Self.otherMarketplace
        let isClick = random.chance(0.5)
        let digits = 2 + random.below(3)
        namesVersion = random.chance(0.5)

        let isKit = traits.kind == .adAttributionKit
        guard let adNetworkID = isSpeltOtherwise ? Self.otherSpelling(of: network) : network,
            let transactionID = TransactionID(isKit && isUpperCase ? transaction.uppercased() : transaction),
            let campaign = Self.campaign(campaignNumber, traits, digits)
        else { return nil }
        self.traits = traits
        self.adNetworkID = adNetworkID
        self.transactionID = transactionID
        self.campaign = campaign
        let isFullTier = traits.tier == 3 && traits.window == 0 && traits.didWin
        let app = sourceApp.map(AttributionSource.app)
        let web = domain.map(AttributionSource.domain)
        source =
            isFullTier && namesSource && traits.kind != .skAdNetwork(.v1_0)
            ? (isWeb && traits.kind == .skAdNetwork(.v4_0) ? web : app) : nil
        countryCode = isFullTier && traits.kind.hasWindows ? country : nil
        marketplaceIdentifier = isKit && traits.tier > 0 ? MarketplaceIdentifier(marketplace) : nil
        adInteractionType = isClick || traits.conversionType == .reengagement ? .click : .view
    }

    /// The campaign under the kind's name; source identifiers of four digits, cut to the last ones as the tier has it.
    private static func campaign(_ number: Int, _ traits: PostbackTraits, _ digits: Int) -> Campaign? {
        guard traits.kind.hasWindows else { return CampaignID(Int64(number)).map(Campaign.campaignID) }
        let shown = traits.tier < 2 || traits.window > 0 ? 2 : digits
        return SourceIdentifier(String(String(1_000 + number).suffix(shown))).map(Campaign.sourceIdentifier)
    }

    /// The same network as another party writes it: with capitals, or with the other framework's suffix.
    private static func otherSpelling(of network: AdNetworkID) -> AdNetworkID? {
        let suffix = ".skadnetwork"
        guard network.text.hasSuffix(suffix) else { return AdNetworkID(network.text.capitalizedFirst) }
        return AdNetworkID(network.text.dropLast(suffix.count).capitalizedFirst + ".adattributionkit")
    }

    /// A random UUID (version 4) out of 128 random bits, in lower case.
    private static func uuid(_ high: UInt64, _ low: UInt64) -> String {
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

    /// Made up, and none of them 0, which would make a postback count as development.
    private static let firstSourceApp: Int64 = 1_500_000_001
    private static let sourceApps = 20
    private static let domains = ["example.com", "example.org", "news.example.net"]
    private static let countries = ["DE", "US", "JP"]
    private static let appStore = "com.apple.AppStore"
    private static let otherMarketplace = "com.example.marketplace"
}

extension StringProtocol {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
