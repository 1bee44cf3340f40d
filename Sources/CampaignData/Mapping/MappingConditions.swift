package import AdAttribution

/// Which postbacks a mapping row is for, apart from days.
///
/// Of the rows that fit a postback, the most specific one names it. More digits win; then a country, a source app, an
/// advertised app, a protocol. So two rows that could tie have the same conditions.
package struct MappingConditions: Sendable, Equatable {
    /// The network, in lower case.
    package let network: AdNetworkID
    /// A campaign id, or the last 1 to 4 digits of source identifiers.
    package let campaign: Campaign
    /// The country code of the postback; nil for any, or none.
    package let country: CountryCode?
    /// The app or the web site that showed the ad; nil for any, or none.
    package let source: AttributionSource?
    /// The advertised app; nil for all.
    package let advertisedAppID: AppID?
    /// The protocol; nil for both.
    package let attributionProtocol: AttributionProtocol?

    /// Takes the conditions.
    package init(
        network: AdNetworkID, campaign: Campaign, country: CountryCode? = nil, source: AttributionSource? = nil,
        advertisedAppID: AppID? = nil, attributionProtocol: AttributionProtocol? = nil
    ) {
        self.network = network.inLowerCase
        self.campaign = campaign
        self.country = country
        self.source = source
        self.advertisedAppID = advertisedAppID
        self.attributionProtocol = attributionProtocol
    }

    /// What makes two rows have the same conditions: networks are compared without suffix.
    var key: Key {
        Key(
            network: network.matchingForm, campaign: campaign, country: country, source: source,
            advertisedAppID: advertisedAppID, attributionProtocol: attributionProtocol)
    }

    struct Key: Hashable {
        let network: String
        let campaign: Campaign
        let country: CountryCode?
        let source: AttributionSource?
        let advertisedAppID: AppID?
        let attributionProtocol: AttributionProtocol?
    }
}

extension AttributionSource {
    /// The source as reports show it: the id of the app, or the domain.
    package var text: String {
        switch self {
        case .app(let id): String(id.value)
        case .domain(let domain): domain.text
        }
    }

    /// The source of such a text; nil if it is neither an id nor a domain.
    package init?(text: String) {
        if let domain = SourceDomain(text), !text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            self = .domain(domain)
        } else if let id = Int64(text).flatMap(AppID.init) {
            self = .app(id)
        } else {
            return nil
        }
    }
}

extension AdNetworkID {
    /// The identifier in lower case, as it is stored.
    package var inLowerCase: AdNetworkID { AdNetworkID(lowercased) ?? self }
}
