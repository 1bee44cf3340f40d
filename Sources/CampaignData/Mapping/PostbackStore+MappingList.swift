package import AdAttribution
package import PostbackStore
package import PostgresClient

/// How many identifiers of a network can be given out for an advertised app.
package struct FreeIdentifiers: Sendable, Equatable {
    /// The network, without suffix.
    package let network: String
    /// The advertised app; nil for identifiers that stand for all apps.
    package let advertisedAppID: Int64?
    /// Campaign ids, out of 100.
    package let campaignIDs: Int64
    /// Groups of 2 digits, out of 100.
    package let groups2: Int64
    /// Groups of 3 digits, out of 1,000.
    package let groups3: Int64
    /// Source identifiers of 4 digits, out of 9,000.
    package let groups4: Int64
}

extension PostbackStore {
    /// The mapping rows with their states, ordered by network, advertised app, campaign type and identifier.
    ///
    /// - Parameters:
    ///   - network: One network, or nil for all.
    ///   - app: One advertised app, whose rows and those for all apps are given; or nil for all rows.
    ///   - today: The day of the states.
    package func mappings(
        network: AdNetworkID? = nil, app: AppID? = nil, on today: PostgresDate
    ) async throws -> [MappedRow] {
        var bindings = PostgresBindings()
        bindings.append(network?.matchingForm)
        bindings.append(app?.value)
        bindings.append(today)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(Self.listMappings, parameters).map(MappedRow.init)
        }
    }

    /// How many identifiers are free, for each network and app that the operator has mapped, or for those asked for.
    ///
    /// - Parameter limit: The most networks and apps, the first ones; nil for all. Each takes some milliseconds.
    package func freeIdentifiers(
        network: AdNetworkID? = nil, app: AppID? = nil, on today: PostgresDate, limit: Int32? = nil
    ) async throws -> [FreeIdentifiers] {
        var bindings = PostgresBindings()
        bindings.append(network?.matchingForm)
        bindings.append(app?.value)
        bindings.append(today)
        bindings.append(Int32(CampaignMapping.defaultCoolDownDays))
        bindings.append(limit)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(Self.countFree, parameters).map { row in
                var columns = ColumnCursor(row)
                return FreeIdentifiers(
                    network: try columns.next(), advertisedAppID: try columns.next(), campaignIDs: try columns.next(),
                    groups2: try columns.next(), groups3: try columns.next(), groups4: try columns.next())
            }
        }
    }

    private static let listMappings = PostgresStatement(
        "mapping_list",
        """
        SELECT is_built_in, state, until, \(MappingStatements.columns.joined(separator: ", "))
          FROM attribution.campaign_mapping
          JOIN attribution.campaign_mapping_state($3) USING (mapping)
         WHERE ($1::text IS NULL OR network_name = $1)
           AND ($2::bigint IS NULL OR advertised_app_id IS NULL OR advertised_app_id = $2)
         ORDER BY is_built_in, network_name, advertised_app_id NULLS FIRST, campaign_type, length(identifier), identifier,
                  country, source_app, protocol, valid_from
        """)

    private static let countFree = PostgresStatement(
        "mapping_free",
        """
        SELECT network_name, advertised_app_id,
               (SELECT count(*) FROM attribution.free_identifiers(
                       network_name, 'campaign-id', advertised_app_id, NULL, '', $3, $4)),
               (SELECT count(*) FROM attribution.free_identifiers(
                       network_name, 'source-identifier', advertised_app_id, 2, '', $3, $4)),
               (SELECT count(*) FROM attribution.free_identifiers(
                       network_name, 'source-identifier', advertised_app_id, 3, '', $3, $4)),
               (SELECT count(*) FROM attribution.free_identifiers(
                       network_name, 'source-identifier', advertised_app_id, 4, '', $3, $4))
          FROM (SELECT DISTINCT network_name, advertised_app_id
                  FROM attribution.campaign_mapping
                 WHERE NOT is_built_in AND ($1::text IS NULL OR network_name = $1)
                   AND ($2::bigint IS NULL OR advertised_app_id = $2)
                UNION
                SELECT $1, $2 WHERE $1 IS NOT NULL
                 ORDER BY network_name, advertised_app_id NULLS FIRST
                 LIMIT $5::integer) AS asked
         ORDER BY network_name, advertised_app_id NULLS FIRST
        """)
}
