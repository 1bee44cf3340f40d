import AdAttribution
import PostgresClient

/// The statements of the allocator.
///
/// They run under the lock of `MappingStatements`.
enum AllocationStatements {
    /// The names of an active group, of which the most specific row wins.
    static let group = PostgresStatement(
        "allocation_group",
        """
        SELECT campaign_id, campaign_name, ad_group_id, ad_group_name, creative_id, creative_name, geo
          FROM attribution.campaign_mapping
          JOIN attribution.campaign_mapping_state($4) USING (mapping)
         WHERE network_name = $1 AND campaign_type = 'source-identifier' AND identifier = $2
           AND (advertised_app_id IS NULL OR advertised_app_id = $3)
           AND country IS NULL AND source_app IS NULL AND state = 'active'
         ORDER BY specificity DESC
         LIMIT 1
        """)

    static let firstFree = PostgresStatement(
        "allocation_first_free",
        "SELECT identifier FROM attribution.free_identifiers($1, $2, $3, $4, $5, $6, $7) LIMIT 1")

    static let firstCoolDown = PostgresStatement(
        "allocation_first_cool_down",
        """
        SELECT min(until)
          FROM attribution.campaign_mapping
          JOIN attribution.campaign_mapping_state($4) USING (mapping)
         WHERE network_name = $1 AND campaign_type = $2 AND state = 'cooling'
           AND (advertised_app_id IS NULL OR $3::bigint IS NULL OR advertised_app_id = $3)
        """)

    /// The rows that a retirement ends: those of the identifier, and of the groups within it.
    static let retiring = PostgresStatement(
        "allocation_retiring",
        """
        SELECT mapping, identifier, valid_from
          FROM attribution.campaign_mapping
         WHERE network_name = $1 AND campaign_type = $2 AND advertised_app_id IS NOT DISTINCT FROM $4
           AND CASE campaign_type WHEN 'source-identifier' THEN right(identifier, length($3)) ELSE identifier END = $3
           AND NOT is_built_in AND last_named_day > $5 AND (valid_to IS NULL OR valid_to > $5)
         ORDER BY length(identifier), identifier, valid_from
        """)

    static let retire = PostgresStatement(
        "allocation_retire",
        """
        UPDATE attribution.campaign_mapping
           SET valid_to = $2, cool_down_days = coalesce($3, cool_down_days), loaded_at = now()
         WHERE mapping = ANY ($1::integer[])
        """)

    static let retired = PostgresStatement(
        "allocation_retired",
        """
        SELECT DISTINCT identifier, last_named_day, length(identifier)
          FROM attribution.campaign_mapping WHERE mapping = ANY ($1::integer[])
         ORDER BY length(identifier), identifier, last_named_day
        """)
}
