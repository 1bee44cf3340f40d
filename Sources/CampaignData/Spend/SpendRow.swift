package import AdAttribution
package import Money
package import PostgresClient

/// A row of `attribution.spend_daily`: what ads cost on a day.
package struct SpendRow: Sendable, Equatable {
    /// The day of the cost.
    package let day: PostgresDate
    /// The network, in lower case.
    package let network: AdNetworkID
    /// The advertised app.
    package let advertisedAppID: AppID
    /// The id of the campaign at the operator.
    package let campaignID: String
    /// The id of the ad group.
    package let adGroupID: String?
    /// The id of the creative.
    package let creativeID: String?
    /// The country in which the ads were shown.
    package let country: CountryCode?
    /// The currency of the cost.
    package let currency: CurrencyCode
    /// The cost.
    package let spend: Amount
    /// Impressions, as the network reports them.
    package let impressions: Int64?
    /// Clicks, as the network reports them.
    package let clicks: Int64?
    /// Installs, as the network reports them.
    package let installs: Int64?

    /// The rows that are replaced together.
    package var scope: SpendScope {
        SpendScope(day: day, network: network.matchingForm, advertisedAppID: advertisedAppID)
    }
}

/// A day of a network and an advertised app: what a file replaces as a whole.
///
/// The app belongs to it, since networks report by account, and an account seldom has all apps.
package struct SpendScope: Sendable, Hashable {
    /// The day.
    package let day: PostgresDate
    /// The network, without suffix.
    package let network: String
    /// The advertised app.
    package let advertisedAppID: AppID
}
