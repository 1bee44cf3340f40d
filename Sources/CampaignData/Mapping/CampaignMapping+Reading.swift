import AdAttribution
import PostgresClient
package import TabularFiles

extension CampaignMapping: TableRecord {
    /// The columns of a mapping file, named as in the table.
    package enum Column: Int, TableColumn {
        case adNetworkID
        case campaignType
        case identifier
        case country
        case sourceApp
        case advertisedAppID
        case attributionProtocol
        case validFrom
        case validTo
        case coolDownDays
        case campaignID
        case campaignName
        case adGroupID
        case adGroupName
        case creativeID
        case creativeName
        case geo

        /// The name in a file.
        package var name: String {
            switch self {
            case .adNetworkID: "ad_network_id"
            case .campaignType: "campaign_type"
            case .identifier: "identifier"
            case .country: "country"
            case .sourceApp: "source_app"
            case .advertisedAppID: "advertised_app_id"
            case .attributionProtocol: "protocol"
            case .validFrom: "valid_from"
            case .validTo: "valid_to"
            case .coolDownDays: "cool_down_days"
            case .campaignID: "campaign_id"
            case .campaignName: "campaign_name"
            case .adGroupID: "ad_group_id"
            case .adGroupName: "ad_group_name"
            case .creativeID: "creative_id"
            case .creativeName: "creative_name"
            case .geo: "geo"
            }
        }

        /// Whether each row has a value.
        package var isRequired: Bool {
            switch self {
            case .adNetworkID, .campaignType, .identifier, .campaignID: true
            default: false
            }
        }
    }

    /// Reads a row of a mapping file.
    package init?(_ fields: inout FieldReader<Column>) {
        let conditions = Self.conditions(&fields)
        let names = Self.names(&fields)
        let validFrom = fields.optional(.validFrom, PostgresDate.rule, PostgresDate.init)
        let validTo = fields.optional(.validTo, PostgresDate.rule, PostgresDate.init)
        let coolDown = fields.optional(.coolDownDays, Self.coolDownRule, Self.coolDownDays)
        if let validFrom, let validTo, validTo < validFrom {
            fields.refuse(.validTo, "must not be before valid_from", value: validTo.description)
        }
        if let country = conditions?.country, let geo = names?.geo, geo != country {
            fields.refuse(.geo, "must be the row's country, \(country.text), or empty", value: geo.text)
        }
        guard fields.errors.isEmpty, let conditions, let names else { return nil }
        self.init(
            conditions: conditions, validFrom: validFrom ?? Self.always, validTo: validTo,
            coolDownDays: coolDown ?? Self.defaultCoolDownDays, names: names)
    }

    /// A cool-down in days; nil if it is out of range.
    package static func coolDownDays(_ text: String) -> Int16? {
        FieldText.integer(text).flatMap { Int16(exactly: $0) }.flatMap { coolDownRange.contains($0) ? $0 : nil }
    }

    private static func conditions(_ fields: inout FieldReader<Column>) -> MappingConditions? {
        let network = fields.required(.adNetworkID, AdNetworkID.rule, AdNetworkID.init)
        let type = fields.required(.campaignType, CampaignType.rule) { CampaignType(rawValue: $0) }
        let campaign = type.flatMap { type in
            fields.required(.identifier, type.identifierRule) { type.campaign($0) }
        }
        let country = fields.optional(.country, CountryCode.rule, CountryCode.init)
        let source = fields.optional(
            .sourceApp, "the id of an app, or a domain in lower case", AttributionSource.init(text:))
        let app = fields.optional(.advertisedAppID, AppID.rule) { FieldText.integer($0).flatMap(AppID.init) }
        let attributionProtocol = fields.optional(
            .attributionProtocol, "skadnetwork or adattributionkit"
        ) { AttributionProtocol(rawValue: $0) }
        guard let network, let campaign else { return nil }
        return MappingConditions(
            network: network, campaign: campaign, country: country, source: source, advertisedAppID: app,
            attributionProtocol: attributionProtocol)
    }

    private static func names(_ fields: inout FieldReader<Column>) -> CampaignNames? {
        let campaignID = fields.required(.campaignID, FieldText.nameRule, FieldText.name)
        let campaignName = fields.optional(.campaignName, FieldText.nameRule, FieldText.name)
        let adGroupID = fields.optional(.adGroupID, FieldText.nameRule, FieldText.name)
        let adGroupName = fields.optional(.adGroupName, FieldText.nameRule, FieldText.name)
        let creativeID = fields.optional(.creativeID, FieldText.nameRule, FieldText.name)
        let creativeName = fields.optional(.creativeName, FieldText.nameRule, FieldText.name)
        let geo = fields.optional(.geo, CountryCode.rule, CountryCode.init)
        guard let campaignID else { return nil }
        return CampaignNames(
            campaignID: campaignID, campaignName: campaignName, adGroupID: adGroupID, adGroupName: adGroupName,
            creativeID: creativeID, creativeName: creativeName, geo: geo)
    }

    /// The texts of a row as a mapping file has them, in the order of the columns.
    package var fields: [String?] {
        [
            conditions.network.text, conditions.campaign.type, conditions.campaign.text, conditions.country?.text,
            conditions.source?.text, conditions.advertisedAppID.map { String($0.value) },
            conditions.attributionProtocol?.rawValue, validFrom == Self.always ? nil : validFrom.description,
            validTo?.description, String(coolDownDays), names.campaignID, names.campaignName, names.adGroupID,
            names.adGroupName, names.creativeID, names.creativeName, names.geo?.text,
        ]
    }
}
