import AdAttribution
import PostgresClient

/// The statements that add missing rows to the dimensions and read the numbers of all that are asked for.
///
/// One writer at a time: each runs under the lock, so numbers have no gaps and two servers add no row twice.
enum DimensionStatements {
    /// Lets one transaction at a time add rows; any fixed number does.
    static let lock = PostgresStatement("dimension_lock", "SELECT pg_advisory_xact_lock(7421001644)")

    /// Networks and lines: returns the number of the network and of the line for each of the given rows, in their
    /// order.
    static let lines = PostgresStatement(
        "dimension_lines",
        """
        WITH wanted AS MATERIALIZED (
            SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::bigint[])
                WITH ORDINALITY AS wanted (environment, protocol, ad_network_id, developer_copy, campaign_type, campaign,
                                           advertised_app_id, ordinal)
        ),
        new_network AS (
            INSERT INTO attribution.network (network, environment, protocol, ad_network_id)
            SELECT (SELECT coalesce(max(network), 0) FROM attribution.network) + row_number() OVER (),
                   environment, protocol, ad_network_id
              FROM (SELECT DISTINCT environment, protocol, ad_network_id FROM wanted
                    EXCEPT SELECT environment, protocol, ad_network_id FROM attribution.network) AS missing
            RETURNING network, environment, protocol, ad_network_id
        ),
        known_network AS (
            SELECT network, environment, protocol, ad_network_id FROM attribution.network
            UNION ALL
            SELECT network, environment, protocol, ad_network_id FROM new_network
        ),
        numbered AS MATERIALIZED (
            SELECT wanted.*, known_network.network
              FROM wanted
              JOIN known_network USING (environment, protocol, ad_network_id)
        ),
        new_line AS (
            INSERT INTO attribution.line
                   (line, network, environment, protocol, ad_network_id, developer_copy, campaign_type, campaign,
                    advertised_app_id)
            SELECT (SELECT coalesce(max(line), 0) FROM attribution.line) + row_number() OVER (),
                   network, environment, protocol, ad_network_id, developer_copy, campaign_type, campaign,
                   advertised_app_id
              FROM (SELECT DISTINCT network, environment, protocol, ad_network_id, developer_copy, campaign_type,
                           campaign, advertised_app_id
                      FROM numbered AS new
                     WHERE NOT EXISTS (SELECT FROM attribution.line
                                        WHERE line.network = new.network
                                          AND line.developer_copy = new.developer_copy
                                          AND line.campaign_type = new.campaign_type
                                          AND line.campaign = new.campaign
                                          AND line.advertised_app_id = new.advertised_app_id)) AS missing
            RETURNING line, network, developer_copy, campaign_type, campaign, advertised_app_id
        )
        SELECT numbered.network, coalesce(old.line, new_line.line)
          FROM numbered
          LEFT JOIN attribution.line AS old
                 USING (network, developer_copy, campaign_type, campaign, advertised_app_id)
          LEFT JOIN new_line
                 USING (network, developer_copy, campaign_type, campaign, advertised_app_id)
         ORDER BY ordinal
        """)

    /// Sources: returns the number for each of the given rows, in their order.
    static let sources = PostgresStatement(
        "dimension_sources",
        """
        WITH wanted AS MATERIALIZED (
            SELECT * FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY
                AS wanted (source_app_id, source_domain, ordinal)
        ),
        old AS MATERIALIZED (
            SELECT wanted.ordinal, source.source
              FROM wanted
              JOIN attribution.source ON source.source_app_id = wanted.source_app_id
            UNION ALL
            SELECT wanted.ordinal, source.source
              FROM wanted
              JOIN attribution.source ON source.source_domain = wanted.source_domain
        ),
        new AS (
            INSERT INTO attribution.source (source, source_app_id, source_domain)
            SELECT (SELECT max(source) FROM attribution.source) + row_number() OVER (), source_app_id, source_domain
              FROM (SELECT DISTINCT source_app_id, source_domain FROM wanted
                     WHERE ordinal NOT IN (SELECT ordinal FROM old)) AS missing
            RETURNING source, source_app_id, source_domain
        )
        SELECT coalesce(old.source, new.source)
          FROM wanted
          LEFT JOIN old USING (ordinal)
          LEFT JOIN new ON (new.source_app_id, new.source_domain)
                           IS NOT DISTINCT FROM (wanted.source_app_id, wanted.source_domain)
         ORDER BY wanted.ordinal
        """)

    /// Signing keys and traits: returns the number of the traits for each of the given rows, in their order.
    ///
    /// The columns of the facts are those that the table of versions names.
    static func traits(_ facts: [TraitColumn]) -> PostgresStatement {
        let names = facts.map(\.name) + ["relay_normalised"]
        let arrays = zip(3..., facts.map(\.type) + ["boolean"]).map { "$\($0)::\($1)[]" }.joined(separator: ", ")
        func columns(_ table: String? = nil) -> String {
            names.map { name in table.map { "\($0).\(name)" } ?? name }.joined(separator: ", ")
        }
        return PostgresStatement(
            "dimension_traits",
            """
            WITH wanted AS MATERIALIZED (
                SELECT * FROM unnest($1::text[], $2::text[], \(arrays)) WITH ORDINALITY
                    AS wanted (name, version, \(columns()), ordinal)
            ),
            new_key AS (
                INSERT INTO attribution.signing_key (signing_key, name)
                SELECT (SELECT coalesce(max(signing_key), 0) FROM attribution.signing_key) + row_number() OVER (), name
                  FROM (SELECT DISTINCT name FROM wanted EXCEPT SELECT name FROM attribution.signing_key) AS missing
                RETURNING signing_key, name
            ),
            numbered AS MATERIALIZED (
                SELECT wanted.*, signing_key.signing_key
                  FROM wanted
                  JOIN (SELECT signing_key, name FROM attribution.signing_key
                        UNION ALL
                        SELECT signing_key, name FROM new_key) AS signing_key USING (name)
            ),
            old AS MATERIALIZED (
                SELECT numbered.ordinal, traits.traits
                  FROM numbered
                  JOIN attribution.traits
                    ON traits.version = numbered.version AND traits.signing_key = numbered.signing_key
                   AND (\(columns("traits"))) IS NOT DISTINCT FROM (\(columns("numbered")))
            ),
            new AS (
                INSERT INTO attribution.traits (traits, version, signing_key, \(columns()))
                SELECT (SELECT coalesce(max(traits), 0) FROM attribution.traits) + row_number() OVER (),
                       version, signing_key, \(columns())
                  FROM (SELECT DISTINCT version, signing_key, \(columns()) FROM numbered
                         WHERE ordinal NOT IN (SELECT ordinal FROM old)) AS missing
                RETURNING traits, version, signing_key, \(columns())
            )
            SELECT coalesce(old.traits, new.traits)
              FROM numbered
              LEFT JOIN old USING (ordinal)
              LEFT JOIN new
                     ON new.version = numbered.version AND new.signing_key = numbered.signing_key
                    AND (\(columns("new"))) IS NOT DISTINCT FROM (\(columns("numbered")))
             ORDER BY ordinal
            """)
    }

    static func bindings(_ lines: [LineKey]) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(lines.map(\.network.environment.rawValue))
        bindings.append(lines.map(\.network.attributionProtocol.rawValue))
        bindings.append(lines.map(\.network.adNetworkID))
        bindings.append(lines.map(\.isDeveloperCopy))
        bindings.append(lines.map(\.campaign.type))
        bindings.append(lines.map(\.campaign.text))
        bindings.append(lines.map(\.advertisedAppID.value))
        return bindings
    }

    static func bindings(_ sources: [AttributionSource]) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(sources.map { $0.appID?.value })
        bindings.append(sources.map { $0.domain?.text })
        return bindings
    }

    static func bindings(_ traits: [TraitsKey], _ facts: [TraitColumn]) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(traits.map(\.signingKey))
        bindings.append(traits.map { $0.version?.description ?? TraitsKey.noVersion })
        for (number, fact) in facts.enumerated() {
            let values = traits.map { $0.values[number] }
            switch fact.kind {
            case .boolean: bindings.append(values.map { $0?.boolean })
            case .integer: bindings.append(values.map { $0?.integer })
            case .text, .uuid, .lowercaseUUID: bindings.append(values.map { $0?.text })
            }
        }
        bindings.append(traits.map(\.isRelayNormalised))
        return bindings
    }
}

extension TraitColumn {
    /// The type in which PostgreSQL takes the values.
    package var type: String {
        switch kind {
        case .boolean: "boolean"
        case .integer: "bigint"
        case .text, .uuid, .lowercaseUUID: "text"
        }
    }
}
