package import AdAttribution
package import PostgresClient

/// A wish for a free identifier.
package struct IdentifierAllocation: Sendable, Equatable {
    /// The network.
    package let network: AdNetworkID
    /// The advertised app; nil for an identifier that stands for all apps.
    package let advertisedAppID: AppID?
    /// Where the identifier comes from.
    package let space: IdentifierSpace
    /// The names of the campaign; nil for those of the group around it.
    package let names: CampaignNames?
    /// Names that are put in place of those of the group around it.
    package let ownNames: OwnNames
    /// The first day; nil for today.
    package let validFrom: PostgresDate?

    /// Names below the campaign.
    package struct OwnNames: Sendable, Equatable {
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

        /// Starts without names.
        package init() {}
    }

    /// Takes the wish.
    package init(
        network: AdNetworkID, advertisedAppID: AppID?, space: IdentifierSpace, names: CampaignNames?,
        ownNames: OwnNames = OwnNames(), validFrom: PostgresDate? = nil
    ) {
        self.network = network.inLowerCase
        self.advertisedAppID = advertisedAppID
        self.space = space
        self.names = names
        self.ownNames = ownNames
        self.validFrom = validFrom
    }
}

extension CampaignNames {
    /// These names, with others in place of those below the campaign.
    func replacing(_ own: IdentifierAllocation.OwnNames) -> CampaignNames {
        CampaignNames(
            campaignID: campaignID, campaignName: campaignName, adGroupID: own.adGroupID ?? adGroupID,
            adGroupName: own.adGroupName ?? adGroupName, creativeID: own.creativeID ?? creativeID,
            creativeName: own.creativeName ?? creativeName, geo: own.geo ?? geo)
    }
}
