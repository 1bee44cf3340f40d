import AdAttribution
import Money
import PostgresClient
package import TabularFiles

extension SpendRow: TableRecord {
    /// The columns of a spend file, named as in the table.
    package enum Column: Int, TableColumn {
        case day
        case adNetworkID
        case advertisedAppID
        case campaignID
        case adGroupID
        case creativeID
        case country
        case currency
        case spend
        case impressions
        case clicks
        case installs

        /// The name in a file.
        package var name: String {
            switch self {
            case .day: "day"
            case .adNetworkID: "ad_network_id"
            case .advertisedAppID: "advertised_app_id"
            case .campaignID: "campaign_id"
            case .adGroupID: "ad_group_id"
            case .creativeID: "creative_id"
            case .country: "country"
            case .currency: "currency"
            case .spend: "spend"
            case .impressions: "impressions"
            case .clicks: "clicks"
            case .installs: "installs"
            }
        }

        /// Whether each row has a value.
        package var isRequired: Bool {
            switch self {
            case .day, .adNetworkID, .advertisedAppID, .campaignID, .currency, .spend: true
            default: false
            }
        }
    }

    /// Reads a row of a spend file.
    package init?(_ fields: inout FieldReader<Column>) {
        let day = fields.required(.day, PostgresDate.rule, PostgresDate.init)
        let network = fields.required(.adNetworkID, AdNetworkID.rule, AdNetworkID.init)
        let app = fields.required(.advertisedAppID, AppID.rule) { FieldText.integer($0).flatMap(AppID.init) }
        let campaignID = fields.required(.campaignID, FieldText.nameRule, FieldText.name)
        let adGroupID = fields.optional(.adGroupID, FieldText.nameRule, FieldText.name)
        let creativeID = fields.optional(.creativeID, FieldText.nameRule, FieldText.name)
        let country = fields.optional(.country, CountryCode.rule, CountryCode.init)
        let currency = fields.required(.currency, CurrencyCode.rule, CurrencyCode.init)
        let spend = fields.required(.spend, Amount.rule) { Amount($0) }
        let impressions = fields.optional(.impressions, FieldText.integerRule, FieldText.integer)
        let clicks = fields.optional(.clicks, FieldText.integerRule, FieldText.integer)
        let installs = fields.optional(.installs, FieldText.integerRule, FieldText.integer)
        guard fields.errors.isEmpty, let day, let network, let app, let campaignID, let currency, let spend else {
            return nil
        }
        self.init(
            day: day, network: network.inLowerCase, advertisedAppID: app, campaignID: campaignID, adGroupID: adGroupID,
            creativeID: creativeID, country: country, currency: currency, spend: spend, impressions: impressions,
            clicks: clicks, installs: installs)
    }
}
