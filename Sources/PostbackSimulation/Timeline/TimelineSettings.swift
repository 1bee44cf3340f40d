/// What `Timeline` simulates, as a configuration file has it: texts and numbers that are not checked yet.
///
/// Every member has a default. `docs/simulation.md` describes each. Shares are from 0 to 1, weights are relative to
/// each other, and money is in cents.
package struct TimelineSettings: Codable, Sendable, Equatable {
    /// The first day with installs, UTC, such as `2026-07-01`.
    package var begin = "2026-07-01"
    /// The number of days with installs.
    package var days = 90
    /// The mean number of conversions a day, over all campaigns and the days of a week.
    package var installsADay = 5_000.0
    /// How much each day of the week has, Monday first.
    package var weekdays = [0.9, 0.9, 0.95, 1.0, 1.1, 1.2, 1.15]
    /// By which share the volume has grown after `days` days; negative if it shrinks.
    package var trend = 0.1
    /// The ad networks.
    package var networks = Network.defaults
    /// The advertised apps.
    package var apps = App.defaults
    /// The volume of each campaign of a network for an app, relative to its other campaigns.
    package var campaigns = [400.0, 150, 60, 25, 10, 4, 2, 1]
    /// How much each location has: the third last digit of a source identifier, from 0.
    package var locations = [5.0, 3, 1]
    /// How much each placement has: the first of four digits of a source identifier, from 1.
    package var placements = [6.0, 2, 1]
    /// How much each source app has.
    package var sourceApps: TimelineWeights = [30, 20, 15, 10, 8, 6, 4, 3, 2, 1, 0.5, 0.5]
    /// The web domains with ads.
    package var sourceDomains = ["example.com", "example.org", "news.example.net"]
    /// How much each country has.
    package var countries: [String: Double] = ["US": 40, "DE": 20, "JP": 15, "BR": 15, "NZ": 2]
    /// How much each version of SKAdNetwork has, and `adattributionkit`.
    package var versions: [String: Double] = [
        "1.0": 1, "2.0": 4, "2.1": 3, "2.2": 6, "3.0": 16, "4.0": 35, "adattributionkit": 35,
    ]
    /// AdAttributionKit conversions that are re-engagements.
    package var reengagementShare = 0.15
    /// Installs on an account that had the app before.
    package var redownloadShare = 0.2
    /// Conversions after a view and not a click, if the version knows views.
    package var viewShare = 0.3
    /// Conversions of SKAdNetwork 4.0 after a click on a web ad.
    package var webShare = 0.1
    /// Installs of AdAttributionKit that come from another marketplace than the App Store.
    package var marketplaceShare = 0.05
    /// Another network also showed an ad before the install: this share for each.
    package var losingShare = 0.25
    /// Installs that are never launched.
    package var neverLaunchedShare = 0.02
    /// Installs in which the app registers the launch and never updates a value.
    package var silentShare = 0.05
    /// Later windows without any update that have a postback all the same.
    package var silentWindowShare = 0.0
    /// Users who pay at all, in the middle campaign.
    package var payingShare = 0.4
    /// How much more the users of the smallest campaign pay than those of the middle one, and those of the largest
    /// less.
    package var payingSpread = 0.3
    /// Opens of a paying user with a purchase.
    package var purchaseShare = 0.5
    /// Users who come back on the day after the first launch.
    package var returning = 0.5
    /// AdAttributionKit conversions whose windows a later re-engagement ends.
    package var reengagedShare = 0.0
    /// What users pay for.
    package var prices = Price.defaults
    /// What postbacks may say.
    package var privacy = Privacy()
    /// Postbacks whose first deliveries fail: they arrive up to nine days late.
    package var delayedShare = 0.0
    /// Postbacks that are delivered a second time.
    package var retryShare = 0.02
    /// Deliveries that a relay changed.
    package var relayShare = 0.0

    /// The defaults.
    package init() {}

    enum CodingKeys: String, CodingKey {
        case begin, days, weekdays, trend, networks, apps, campaigns, locations, placements, countries, versions
        case returning, prices, privacy
        case installsADay = "installs-a-day"
        case sourceApps = "source-apps"
        case sourceDomains = "source-domains"
        case reengagementShare = "re-engagement-share"
        case redownloadShare = "redownload-share"
        case viewShare = "view-share"
        case webShare = "web-share"
        case marketplaceShare = "marketplace-share"
        case losingShare = "losing-share"
        case neverLaunchedShare = "never-launched-share"
        case silentShare = "silent-share"
        case silentWindowShare = "silent-window-share"
        case reengagedShare = "re-engaged-share"
        case payingShare = "paying-share"
        case payingSpread = "paying-spread"
        case purchaseShare = "purchase-share"
        case delayedShare = "delayed-share"
        case retryShare = "retry-share"
        case relayShare = "relay-share"
    }
}
