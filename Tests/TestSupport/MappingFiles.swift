package import AdAttribution
package import CampaignData
package import PostgresClient
import TabularFiles
import Testing

/// Mapping files for tests, from texts as operators write them.
package enum MappingFiles {
    package static let columns = CampaignMapping.Column.allCases.map(\.name)

    /// Reads a file.
    package static func read(_ text: String) throws -> CampaignMappingFile {
        var reader = RecordReader<CampaignMapping>()
        var entries: [CampaignMappingFile.Entry] = []
        try reader.read(Array(text.utf8)) { entries.append(CampaignMappingFile.Entry($0, line: $1)) }
        try reader.finish { entries.append(CampaignMappingFile.Entry($0, line: $1)) }
        return try CampaignMappingFile(entries)
    }

    /// A CSV file of rows, each given by some of its fields; the network is `com.example`.
    package static func csv(_ rows: [[String: String]]) -> String {
        let rows = rows.map { row in
            CSVText.row(columns.map { row[$0] ?? ($0 == "ad_network_id" ? "com.example" : nil) })
        }
        return ([CSVText.row(columns.map { $0 })] + rows).joined()
    }

    /// The row of a group of digits.
    package static func group(_ digits: String, _ campaign: String, _ more: [String: String] = [:]) -> [String: String]
    {
        ["campaign_type": "source-identifier", "identifier": digits, "campaign_id": campaign].merging(more) { $1 }
    }

    package static func day(_ text: String) throws -> PostgresDate { try #require(PostgresDate(text)) }

    package static let network = AdNetworkID("com.example")
}

extension TestDatabase {
    /// The rows of the operator in text: identifier, days, last named day, campaign.
    package func mappings() async throws -> [String?] {
        try await column(
            """
            SELECT concat_ws(' ', identifier, country, valid_from, coalesce(valid_to::text, '-'), last_named_day,
                             campaign_id)
              FROM attribution.campaign_mapping WHERE NOT is_built_in ORDER BY identifier, country, valid_from
            """)
    }

    /// The campaign that names a postback of SKAdNetwork.
    package func campaign(
        _ campaign: String, _ day: String, network: String = "com.example", type: String = "source-identifier",
        app: Int64 = 1, country: String? = nil, source: String? = nil, attributionProtocol: String = "skadnetwork"
    ) async throws -> String? {
        func literal(_ text: String?) -> String { text.map { "'\($0)'" } ?? "NULL" }
        return try await value(
            """
            SELECT campaign_id FROM attribution.campaign_mapping
             WHERE mapping = attribution.campaign_mapping_of(
                   '\(network)', '\(attributionProtocol)', '\(type)', '\(campaign)', \(app), \(literal(country)),
                   \(literal(source)), '\(day)')
            """)
    }
}
