import AdAttribution

/// One install after an ad, or one re-engagement: what the device knows before Apple's privacy.
///
/// It is a function of the seed and its number.
struct SimulatedConversion: Sendable {
    /// The number, which chooses the random sequences of everything about it.
    let number: UInt64
    /// The place of the campaign.
    var campaign: Int
    /// The place of the network.
    var network: Int
    /// The place of the advertised app.
    let app: Int
    /// The version of SKAdNetwork, or AdAttributionKit.
    let kind: SimulatedKind
    /// Download, redownload or re-engagement, under every version.
    let conversionType: ConversionType
    /// The campaign id, 1…100.
    var campaignNumber: Int
    /// The four digits that the impression signed.
    var sourceIdentifier: String
    /// The place of the source app or domain.
    var source: Int
    /// Whether the source is a domain.
    var isWeb: Bool
    /// Whether the ad was seen and not tapped.
    var isView: Bool
    /// The place of the country.
    let country: Int
    /// Whether the app came from another marketplace than the App Store.
    let isFromOtherMarketplace: Bool
    /// When the app was installed; nil for a re-engagement.
    let installedAt: Moment?
    /// The first launch, or the open of a re-engagement; nil if the app is never launched.
    let launchedAt: Moment?

    /// Whether the version has conversion windows and tiers.
    var hasWindows: Bool {
        switch kind {
        case .skAdNetwork(let version): version >= .v4_0
        case .adAttributionKit: true
        }
    }

    /// Whether other networks get postbacks with did-win false.
    var hasAssists: Bool {
        switch kind {
        case .skAdNetwork(let version): version >= .v3_0
        case .adAttributionKit: conversionType != .reengagement
        }
    }

    /// Whether the version has conversion values: from 2.0 on.
    var hasValues: Bool { kind != .skAdNetwork(.v1_0) }

    /// Draws the conversion with a number.
    init(_ number: UInt64, campaign: Int, dayStart: Moment, world: TimelineWorld) {
        var random = SeededRandom(seed: world.seed, .conversion, stream: number)
        self.number = number
        self.campaign = campaign
        let line = world.campaigns[campaign]
        network = line.network
        app = line.app
        kind = world.kinds[world.kindChoice.pick(&random)]
        let isRedownload = random.chance(world.shares.redownload)
        let isReengagement = random.chance(world.shares.reengagement) && kind == .adAttributionKit
        conversionType = isReengagement ? .reengagement : isRedownload ? .redownload : .download
        campaignNumber = line.number
        sourceIdentifier = world.sourceIdentifier(of: line, &random)
        (source, isWeb, isView) = world.presentation(of: kind, isReengagement: isReengagement, &random)
        country = world.countryChoice.pick(&random)
        isFromOtherMarketplace = random.chance(world.shares.marketplace)
        // The later of two moments: evenings have more than nights.
        let day = Milliseconds(0)...Milliseconds(Milliseconds.days(1).count - 1)
        let at = dayStart + max(random.length(day), random.length(day))
        let delay = Self.launchDelay(&random)
        let isLaunched = !random.chance(world.shares.neverLaunched)
        installedAt = isReengagement ? nil : at
        launchedAt = isReengagement ? at : isLaunched ? at + delay : nil
    }

    /// The same conversion as another network sees it, which also showed an ad and lost.
    init(losing network: Int, of winner: SimulatedConversion, world: TimelineWorld) {
        self = winner
        let stream = winner.number << 8 | UInt64(network)
        var random = SeededRandom(seed: world.seed, .losing, stream: stream)
        self.network = network
        campaign = world.campaign(of: network, app: winner.app, &random)
        let line = world.campaigns[campaign]
        campaignNumber = line.number
        sourceIdentifier = world.sourceIdentifier(of: line, &random)
        (source, isWeb, isView) = world.presentation(of: kind, isReengagement: false, &random)
    }

    /// The time from the install to the first launch: mostly less than an hour, and at most 60 days.
    ///
    /// Source of the bound: Apple, "Receiving ad attributions and postbacks".
    private static func launchDelay(_ random: inout SeededRandom) -> Milliseconds {
        let point = random.unit()
        let second = Milliseconds(1_000)
        if point < 0.80 { return random.length(second ... .hours(1)) }
        if point < 0.94 { return random.length(.hours(1) ... .hours(24)) }
        if point < 0.99 { return random.length(.days(1) ... .days(14)) }
        return random.length(.days(14) ... .days(60))
    }
}
