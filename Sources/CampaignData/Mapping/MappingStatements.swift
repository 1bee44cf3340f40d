import AdAttribution
import PostgresClient

/// The statements about mapping rows.
///
/// Days are parameters. Each transaction that writes takes the lock first; the table's trigger takes the same one.
enum MappingStatements {
    static let lock = PostgresStatement("mapping_lock", "SELECT pg_advisory_xact_lock(7421001648)")

    /// Rows of a file against stored rows that the file does not replace: those that could tie, by the file's order.
    static let ties = PostgresStatement(
        "mapping_ties",
        """
        WITH file AS MATERIALIZED (\(rows))
        SELECT file.ordinal, stored.valid_from, stored.valid_to
          FROM file
          JOIN attribution.campaign_mapping AS stored
            ON \(sameConditions("stored", "file")) AND NOT stored.is_built_in
         WHERE CASE WHEN stored.valid_from < file.valid_from THEN stored.valid_to >= file.valid_from
                    WHEN stored.valid_from > file.valid_from THEN file.valid_to >= stored.valid_from
               END
           AND NOT EXISTS (SELECT FROM file AS other
                            WHERE \(sameConditions("stored", "other")) AND other.valid_from = stored.valid_from)
         ORDER BY file.ordinal, stored.valid_from
         LIMIT 20
        """)

    /// The rows before a load that could tie with rows that it does not change, by name.
    static let tiesOfLoad = PostgresStatement(
        "mapping_ties_of_load",
        """
        WITH file AS MATERIALIZED (
            SELECT before, attribution.network_name(ad_network_id) AS network_name, campaign_type, identifier, country,
                   source_app, advertised_app_id, protocol, valid_from, valid_to
              FROM attribution.load_row
             CROSS JOIN LATERAL jsonb_to_record(before) AS noted (
                        ad_network_id text, campaign_type text, identifier text, country text, source_app text,
                        advertised_app_id bigint, protocol text, valid_from date, valid_to date)
             WHERE load = $1 AND before IS NOT NULL
        )
        SELECT DISTINCT \(LoadedTable.mapping.title("file.before")) AS title
          FROM file
          JOIN attribution.campaign_mapping AS stored
            ON \(sameConditions("stored", "file")) AND NOT stored.is_built_in
         WHERE CASE WHEN stored.valid_from < file.valid_from THEN stored.valid_to >= file.valid_from
                    WHEN stored.valid_from > file.valid_from THEN file.valid_to >= stored.valid_from
               END
           AND NOT EXISTS (SELECT FROM file AS other
                            WHERE \(sameConditions("stored", "other")) AND other.valid_from = stored.valid_from)
         ORDER BY title
         LIMIT 20
        """)

    /// Adds the rows of a file to those of a load.
    static let note = PostgresStatement(
        "mapping_note",
        """
        INSERT INTO attribution.load_row (load, after)
        SELECT $\(columns.count + 1), \(LoadedTable.mapping.storedFields) FROM (\(rows)) AS stored
        """)

    /// Adds rows, or changes those that differ.
    static let upsert = PostgresStatement(
        "mapping_upsert",
        """
        INSERT INTO attribution.campaign_mapping AS stored (\(columns.joined(separator: ", ")))
        SELECT \(columns.joined(separator: ", ")) FROM (\(rows)) AS file
            ON CONFLICT ON CONSTRAINT campaign_mapping_key DO UPDATE
           SET \(values.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")), loaded_at = now()
         WHERE (\(values.map { "stored.\($0)" }.joined(separator: ", ")))
               IS DISTINCT FROM (\(values.map { "excluded.\($0)" }.joined(separator: ", ")))
        """)

    /// The columns of a row, in the order of a file.
    static let columns = CampaignMapping.Column.allCases.map(\.name)

    /// The columns that are not part of the key.
    private static let values = columns.filter { !keyColumns.contains($0) || $0 == "ad_network_id" }
    private static let keyColumns = [
        "ad_network_id", "campaign_type", "identifier", "country", "source_app", "advertised_app_id", "protocol",
        "valid_from",
    ]

    /// The rows of a file, from one array for each column.
    private static let rows = """
        SELECT *, attribution.network_name(ad_network_id) AS network_name
          FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::date[],
                      $9::date[], $10::smallint[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
                      $16::text[], $17::text[])
               WITH ORDINALITY AS given (\(columns.joined(separator: ", ")), ordinal)
        """

    private static func sameConditions(_ left: String, _ right: String) -> String {
        let columns = ["network_name", "campaign_type", "identifier"]
        let optional = ["country", "source_app", "advertised_app_id", "protocol"]
        let equal = columns.map { "\(left).\($0) = \(right).\($0)" }
        return (equal + optional.map { "\(left).\($0) IS NOT DISTINCT FROM \(right).\($0)" }).joined(separator: " AND ")
    }

    /// The conditions and the first day of a row, $1 to $8; the network is without suffix.
    static func key(_ mapping: CampaignMapping) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(mapping.conditions.network.matchingForm)
        bindings.append(mapping.conditions.campaign.type)
        bindings.append(mapping.conditions.campaign.text)
        bindings.append(mapping.conditions.country?.text)
        bindings.append(mapping.conditions.source?.text)
        bindings.append(mapping.conditions.advertisedAppID?.value)
        bindings.append(mapping.conditions.attributionProtocol?.rawValue)
        bindings.append(mapping.validFrom)
        return bindings
    }

    static func bindings(_ mappings: [CampaignMapping]) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(mappings.map(\.conditions.network.text))
        bindings.append(mappings.map(\.conditions.campaign.type))
        bindings.append(mappings.map(\.conditions.campaign.text))
        bindings.append(mappings.map { $0.conditions.country?.text })
        bindings.append(mappings.map { $0.conditions.source?.text })
        bindings.append(mappings.map { $0.conditions.advertisedAppID?.value })
        bindings.append(mappings.map { $0.conditions.attributionProtocol?.rawValue })
        bindings.append(mappings.map(\.validFrom))
        bindings.append(mappings.map(\.validTo))
        bindings.append(mappings.map(\.coolDownDays))
        bindings.append(mappings.map(\.names.campaignID))
        bindings.append(mappings.map(\.names.campaignName))
        bindings.append(mappings.map(\.names.adGroupID))
        bindings.append(mappings.map(\.names.adGroupName))
        bindings.append(mappings.map(\.names.creativeID))
        bindings.append(mappings.map(\.names.creativeName))
        bindings.append(mappings.map { $0.names.geo?.text })
        return bindings
    }
}
