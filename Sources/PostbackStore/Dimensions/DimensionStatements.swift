import AdAttribution
import PostgresClient

/// The statements that add missing rows to the dimensions and read the numbers of all that are asked for.
///
/// Lines and domains are many, so no lock holds their writers apart. Each statement adds rows in the order of their key,
/// and a transaction adds those of one dimension only. So two transactions that add the same rows meet at the first one:
/// one of them waits there, holding no row that the other one needs, and they can't deadlock. What the other one has
/// added is read by the next statement, which has a new snapshot.
///
/// Networks, signing keys and traits are few. They are added under the lock, one transaction at a time, so their numbers
/// have no gaps. So are the first line of each app and domains whose number belongs to another one. Who holds the lock
/// adds lines in the same order, and who waits for the lock holds no row.
///
/// They run on connections for batches, where each has one plan that is kept (`PostbackStore.writerConfiguration`). The
/// plan may be made while a table is empty. So each row is looked up by a subquery with LIMIT, which can only be an index
/// scan by a whole key. A join was planned as a scan by the network alone, and took 0.1 s for a line among 100,000.
enum DimensionStatements {
    /// Lets one transaction at a time add rows; any fixed number does.
    static let lock = PostgresStatement("dimension_lock", "SELECT pg_advisory_xact_lock(7421001644)")

    /// Adds the networks of lines, under the lock.
    ///
    /// Its parameters are `bindings(networks:)`.
    static let addNetworks = PostgresStatement(
        "dimension_add_networks",
        """
        INSERT INTO attribution.network (network, environment, protocol, ad_network_id)
        SELECT (SELECT coalesce(max(network), 0) FROM attribution.network) + row_number() OVER (),
               environment, protocol, ad_network_id
          FROM (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (environment, protocol, ad_network_id)
                EXCEPT SELECT environment, protocol, ad_network_id FROM attribution.network) AS missing
        """)

    private static let wantedLines = """
        unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[], $7::bigint[])
            WITH ORDINALITY AS wanted (environment, protocol, ad_network_id, developer_copy, campaign_type, campaign,
                                       advertised_app_id, ordinal)
        """

    /// The number of a wanted line.
    ///
    /// Only `line_key` has the lines of an app in the order of their campaigns. So the planner takes no other index, even
    /// if the table is so small that all indexes cost the same. A table that was analysed while it was empty is an
    /// exception. With `=` for BETWEEN the order would say nothing.
    private static let wantedLine = """
        SELECT line FROM attribution.line
                 WHERE line.advertised_app_id = wanted.advertised_app_id AND line.network = network.network
                   AND line.developer_copy = wanted.developer_copy AND line.campaign_type = wanted.campaign_type
                   AND line.campaign BETWEEN wanted.campaign AND wanted.campaign
                 ORDER BY campaign LIMIT 1
        """

    /// Adds lines whose networks are there, of apps that have a line of the same kind already.
    ///
    /// A number of the sequence is lost if another server adds the row at the same time, or if this fails.
    static let addLines = adding(
        "dimension_add_lines",
        """
        AND (SELECT line FROM attribution.line AS other
                      WHERE other.advertised_app_id = wanted.advertised_app_id AND other.network = network.network
                        AND other.developer_copy = wanted.developer_copy
                        AND other.campaign_type = wanted.campaign_type ORDER BY campaign LIMIT 1) IS NOT NULL
        """)

    /// Adds all lines whose networks are there, under the lock.
    ///
    /// So the first line of an app has the least number of its lines: `attribution.app_line` relies on it.
    static let addFirstLines = adding("dimension_add_first_lines", "")

    private static func adding(_ name: StaticString, _ condition: String) -> PostgresStatement {
        PostgresStatement(
            name,
            """
            INSERT INTO attribution.line
                   (network, environment, protocol, ad_network_id, developer_copy, campaign_type, campaign,
                    advertised_app_id)
            SELECT network, environment, protocol, ad_network_id, developer_copy, campaign_type, campaign,
                   advertised_app_id
              FROM \(wantedLines)
              JOIN attribution.network USING (environment, protocol, ad_network_id)
             WHERE (\(wantedLine)) IS NULL
                   \(condition)
             ORDER BY advertised_app_id, network, developer_copy, campaign_type, campaign
            ON CONFLICT ON CONSTRAINT line_key DO NOTHING
            """)
    }

    /// Returns the number of the network and of the line for each of the given lines, in their order; NULL for what is
    /// not there.
    static let lines = PostgresStatement(
        "dimension_lines",
        """
        SELECT network.network, line.line
          FROM \(wantedLines)
          LEFT JOIN attribution.network USING (environment, protocol, ad_network_id)
          LEFT JOIN LATERAL (\(wantedLine)) AS line ON true
         ORDER BY ordinal
        """)

    /// Adds domains under their numbers, but for those whose number another domain has.
    static let addDomains = PostgresStatement(
        "dimension_add_domains",
        """
        INSERT INTO attribution.source (source, source_domain)
        SELECT * FROM unnest($1::bigint[], $2::text[]) AS wanted (source, source_domain)
         ORDER BY source, source_domain
        ON CONFLICT DO NOTHING
        """)

    /// Adds domains under the next free numbers below those that follow from texts, under the lock.
    static let addCollidingDomains = PostgresStatement(
        "dimension_add_colliding_domains",
        """
        INSERT INTO attribution.source (source, source_domain)
        SELECT (SELECT least(min(source), -4611686018427387904) FROM attribution.source)
               - row_number() OVER (ORDER BY source_domain), source_domain
          FROM unnest($1::text[]) AS wanted (source_domain)
        ON CONFLICT (source_domain) DO NOTHING
        """)

    /// Returns the number for each of the given domains, in their order; NULL if it is not there.
    static let domains = PostgresStatement(
        "dimension_domains",
        """
        SELECT source.source
          FROM unnest($1::text[]) WITH ORDINALITY AS wanted (source_domain, ordinal)
          LEFT JOIN LATERAL (SELECT source FROM attribution.source
                              WHERE source.source_domain = wanted.source_domain LIMIT 1) AS source ON true
         ORDER BY ordinal
        """)

    /// The greatest number of rows that `newestLines` and `storedDomains` return.
    private static let readAtOnce = 100_000

    /// Lines as `LineKey.init` reads them, then the numbers of network and line; those that were added last.
    static let newestLines = PostgresStatement(
        "dimension_newest_lines",
        """
        SELECT environment, protocol, ad_network_id, developer_copy, campaign_type, campaign, advertised_app_id,
               network, line
          FROM attribution.line
         ORDER BY line DESC
         LIMIT \(readAtOnce)
        """)

    /// Domains with their numbers.
    static let storedDomains = PostgresStatement(
        "dimension_stored_domains", "SELECT source_domain, source FROM attribution.source LIMIT \(readAtOnce)")

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

    static func bindings(networks: Set<NetworkKey>) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(networks.map(\.environment.rawValue))
        bindings.append(networks.map(\.attributionProtocol.rawValue))
        bindings.append(networks.map(\.adNetworkID))
        return bindings
    }

    static func bindings(numbering domains: [SourceDomain]) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(domains.map(SourceNumber.number(of:)))
        bindings.append(domains.map(\.text))
        return bindings
    }

    static func bindings(_ domains: [SourceDomain]) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(domains.map(\.text))
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
