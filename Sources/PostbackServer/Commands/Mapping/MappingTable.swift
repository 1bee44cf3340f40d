import AdAttribution
import CampaignData
import PostgresClient

/// Mapping rows as lines of text with aligned columns.
struct MappingTable {
    private static let header = [
        "state", "until", "network", "campaign type", "identifier", "app", "country", "source app", "protocol",
        "campaign", "ad group", "creative", "geo",
    ]

    /// The lines, each with its end.
    let text: String

    init(_ rows: [MappedRow]) {
        var table = AlignedTable(Self.header, isRight: Self.header.map { _ in false })
        text = table.text(rows.map(Self.cells))
    }

    private static func cells(_ row: MappedRow) -> [String?] {
        let conditions = row.mapping.conditions
        let names = row.mapping.names
        return [
            row.state.rawValue + (row.isBuiltIn ? " (built in)" : ""), row.until?.description,
            conditions.network.text, conditions.campaign.type, conditions.campaign.text,
            conditions.advertisedAppID.map { String($0.value) } ?? "all", conditions.country?.text,
            conditions.source?.text, conditions.attributionProtocol?.rawValue,
            named(names.campaignID, names.campaignName), named(names.adGroupID, names.adGroupName),
            named(names.creativeID, names.creativeName), names.geo?.text,
        ]
    }

    /// An id and a name.
    private static func named(_ id: String?, _ name: String?) -> String? {
        let both = [id, name].compactMap(\.self)
        return both.isEmpty ? nil : both.joined(separator: " ")
    }
}
