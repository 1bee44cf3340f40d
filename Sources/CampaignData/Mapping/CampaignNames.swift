package import AdAttribution

/// What an operator calls a campaign, its ad group and its creative.
package struct CampaignNames: Sendable, Equatable {
    /// The id of the campaign at the operator.
    package var campaignID: String
    /// The name of the campaign.
    package var campaignName: String?
    /// The id of the ad group.
    package var adGroupID: String?
    /// The name of the ad group.
    package var adGroupName: String?
    /// The id of the creative.
    package var creativeID: String?
    /// The name of the creative.
    package var creativeName: String?
    /// The country in which the ads are shown.
    package var geo: CountryCode?

    /// Takes the names.
    package init(
        campaignID: String, campaignName: String? = nil, adGroupID: String? = nil, adGroupName: String? = nil,
        creativeID: String? = nil, creativeName: String? = nil, geo: CountryCode? = nil
    ) {
        self.campaignID = campaignID
        self.campaignName = campaignName
        self.adGroupID = adGroupID
        self.adGroupName = adGroupName
        self.creativeID = creativeID
        self.creativeName = creativeName
        self.geo = geo
    }
}
