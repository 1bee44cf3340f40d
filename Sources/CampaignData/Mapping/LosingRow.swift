import AdAttribution
package import PostbackStore
import PostgresClient

/// A stored mapping row that loses postbacks to a new row of another campaign.
package struct LosingRow: Sendable, Equatable {
    /// Which row it is.
    package let title: String
    /// What the campaign of these postbacks is called now.
    package let now: String
    /// Which row would name them, and what it calls the campaign.
    package let next: String

    init(_ row: PostgresRow, to mapping: CampaignMapping) throws {
        var columns = ColumnCursor(row)
        title = try columns.next()
        now = try columns.next()
        next = Self.text(mapping)
    }

    /// A row in words, such as “source-identifier 39, app 7, from 2026-11-09: campaign id autumn”.
    private static func text(_ mapping: CampaignMapping) -> String {
        let conditions = mapping.conditions
        let row: [String?] = [
            "\(conditions.campaign.type) \(conditions.campaign.text)", conditions.country.map { "country \($0.text)" },
            conditions.source.map { "source app \($0.text)" }, conditions.advertisedAppID.map { "app \($0.value)" },
            conditions.attributionProtocol?.rawValue,
            mapping.validFrom == CampaignMapping.always ? nil : "from \(mapping.validFrom)",
        ]
        let names: [String?] = [
            "campaign id \(mapping.names.campaignID)", mapping.names.campaignName.map { "campaign name \($0)" },
        ]
        return [row, names].map { $0.compactMap(\.self).joined(separator: ", ") }.joined(separator: ": ")
    }
}

extension PostbackStore {
    /// The stored rows of other campaigns that would lose postbacks to a row, by their names.
    ///
    /// Such a row fits the same postbacks, and names them now on some days of the new row. It is less specific, as one
    /// for all apps is beside one for an app. So it would stay as it is, and lose them.
    package func losingRows(to mapping: CampaignMapping) async throws -> [LosingRow] {
        var bindings = MappingStatements.key(mapping)
        bindings.append(mapping.names.campaignID)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(Self.findLosingRows, parameters).map { try LosingRow($0, to: mapping) }
        }
    }

    /// The parameters are those of `MappingStatements.key`, and the campaign.
    ///
    /// What names a postback changes only on days on which a row begins, and on those after a last one. A row does not
    /// have the postbacks of which a more specific one takes all: for instance one with the conditions of the new row.
    private static let findLosingRows = PostgresStatement(
        "mapping_losing_rows",
        """
        WITH fitting AS MATERIALIZED (
            SELECT stored.*,
                   (length(identifier), country IS NOT NULL, source_app IS NOT NULL, advertised_app_id IS NOT NULL,
                    protocol IS NOT NULL)
                   < (length($3::text), $4::text IS NOT NULL, $5::text IS NOT NULL, $6::bigint IS NOT NULL,
                      $7::text IS NOT NULL) AS is_less,
                   identifier = $3::text AND country IS NOT DISTINCT FROM $4::text
                   AND source_app IS NOT DISTINCT FROM $5::text AND advertised_app_id IS NOT DISTINCT FROM $6::bigint
                   AND protocol IS NOT DISTINCT FROM $7::text AS is_same
              FROM attribution.campaign_mapping AS stored
             WHERE NOT is_built_in AND network_name = $1 AND campaign_type = $2
               AND identifier IN (SELECT attribution.mapped_identifiers($2, $3))
               AND ($4::text IS NULL OR country IS NULL OR country = $4)
               AND ($5::text IS NULL OR source_app IS NULL OR source_app = $5)
               AND ($6::bigint IS NULL OR advertised_app_id IS NULL OR advertised_app_id = $6)
               AND ($7::text IS NULL OR protocol IS NULL OR protocol = $7)
        ),
        span AS MATERIALIZED (
            SELECT $8::date AS first_day,
                   coalesce(min(valid_from) FILTER (WHERE is_same AND valid_from > $8::date) - 1, 'infinity')
                   AS last_day
              FROM fitting
        ),
        change AS MATERIALIZED (
            SELECT greatest(valid_from, first_day) AS day FROM fitting CROSS JOIN span
            UNION
            SELECT greatest(last_named_day + 1, first_day)
              FROM fitting
             CROSS JOIN span
             WHERE last_named_day < 'infinity'
        )
        SELECT \(LoadedTable.mapping.title("to_jsonb(stored)")) AS title,
               concat_ws(', ', 'campaign id ' || campaign_id, 'campaign name ' || campaign_name)
          FROM fitting AS stored
         WHERE is_less AND campaign_id <> $9
           AND EXISTS (
               SELECT FROM change
                 JOIN span ON change.day BETWEEN span.first_day AND span.last_day
                WHERE change.day BETWEEN stored.valid_from AND stored.last_named_day
                  AND NOT EXISTS (
                      SELECT FROM fitting AS other
                       WHERE other.specificity > stored.specificity
                         AND change.day BETWEEN other.valid_from AND other.last_named_day
                         AND (other.country IS NULL OR other.country = coalesce($4::text, stored.country))
                         AND (other.source_app IS NULL OR other.source_app = coalesce($5::text, stored.source_app))
                         AND (other.advertised_app_id IS NULL
                              OR other.advertised_app_id = coalesce($6::bigint, stored.advertised_app_id))
                         AND (other.protocol IS NULL OR other.protocol = coalesce($7::text, stored.protocol))))
         ORDER BY title
        """)
}
