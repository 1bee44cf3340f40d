import AdAttribution

/// What a timeline simulates, checked: the networks, apps, campaigns, sources and users.
///
/// It is made of `TimelineSettings` only.
struct TimelineWorld: Sendable {
    /// Shares of what happens, 0…1.
    struct Shares: Sendable {
        let reengagement, redownload, view, web, marketplace, losing, neverLaunched: Double
        let silent, silentWindow, reengaged, delayed, retry, relay: Double
    }

    /// The seed of all random choices.
    let seed: UInt64
    let calendar: InstallCalendar
    let networks: [AdNetworkID]
    /// The ids of the advertised apps.
    let appIDs: [AppID]
    let apps: [SimulatedApp]
    /// Network by network, app by app, each with as many campaigns as `campaignChoice` has.
    let campaigns: [SimulatedCampaign]
    /// The campaigns of one network for one app.
    let campaignChoice: WeightedChoice
    /// How many campaigns a network has for an app.
    let campaignCount: Int
    let locationChoice: WeightedChoice
    let placementChoice: WeightedChoice
    /// The source apps, then the domains.
    let sources: [AttributionSource]
    /// The number of source apps, at least one.
    let sourceAppCount: Int
    let sourceAppChoice: WeightedChoice
    let countries: [CountryCode]
    let countryChoice: WeightedChoice
    let kinds: [SimulatedKind]
    let kindChoice: WeightedChoice
    let habits: UserHabits
    let shares: Shares
    let privacy: PrivacyRule

    /// Draws the four digits of an impression of a campaign.
    func sourceIdentifier(of campaign: SimulatedCampaign, _ random: inout SeededRandom) -> String {
        let location = locationChoice.pick(&random)
        return campaign.sourceIdentifier(location: location, placement: placementChoice.pick(&random) + 1)
    }

    /// Draws a campaign of a network for an app.
    func campaign(of network: Int, app: Int, _ random: inout SeededRandom) -> Int {
        (network * apps.count + app) * campaignCount + campaignChoice.pick(&random)
    }

    /// Draws where an ad was shown, and whether it was seen only.
    ///
    /// Versions before 2.2 know clicks only, as do web ads and re-engagements.
    func presentation(
        of kind: SimulatedKind, isReengagement: Bool, _ random: inout SeededRandom
    ) -> (source: Int, isWeb: Bool, isView: Bool) {
        let app = sourceAppChoice.pick(&random)
        let domains = sources.count - sourceAppCount
        let domain = sourceAppCount + random.below(domains)
        let isWeb = random.chance(shares.web) && kind == .skAdNetwork(.v4_0) && domains > 0
        let isView = random.chance(shares.view)
        var knowsViews = !isReengagement && !isWeb
        if case .skAdNetwork(let version) = kind, version < .v2_2 { knowsViews = false }
        return (isWeb ? domain : app, isWeb, isView && knowsViews)
    }
}
