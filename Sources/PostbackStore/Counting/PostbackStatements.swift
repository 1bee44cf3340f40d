import AdAttribution
import PostgresClient

/// The statements that write postbacks.
///
/// Every value is a bound parameter, times included; nothing here calls now().
enum PostbackStatements {
    /// The columns of the primary key, named one by one: a distributed table infers the constraint from them.
    private static let key = "transaction_id, environment, protocol, ad_network_id, sequence_index, did_win"

    /// Whether the offered value is strictly higher than the stored one: none < 0 < … < 63, none < low < medium < high.
    private static let raises = """
        (   (excluded.conversion_value IS NOT NULL AND stored.coarse_value IS NULL
             AND excluded.conversion_value > coalesce(stored.conversion_value, -1))
         OR (excluded.coarse_value IS NOT NULL AND stored.conversion_value IS NULL
             AND array_position(ARRAY['low', 'medium', 'high'], excluded.coarse_value)
                 > coalesce(array_position(ARRAY['low', 'medium', 'high'], stored.coarse_value), 0)))
        """

    /// Whether the offered value is of the other kind than the stored one.
    private static let changesKind = """
        (   (excluded.conversion_value IS NOT NULL AND stored.coarse_value IS NOT NULL)
         OR (excluded.coarse_value IS NOT NULL AND stored.conversion_value IS NOT NULL))
        """

    /// Inserts postbacks, one of each key, or lets them change the stored row as the policy allows.
    ///
    /// Rows are taken in the order of their key by every writer, so that two writers never wait for each other in a
    /// circle; PostgreSQL locks a conflicting row even where the WHERE clause then leaves it alone.
    static func insertOrRaise(_ policy: ConversionPolicy) -> PostgresStatement {
        switch policy {
        case .monotonic: insertOrRaiseMonotonic
        case .first: insertOrKeepFirst
        }
    }

    private static let insertOrRaiseMonotonic = PostgresStatement(
        "postback_insert_or_raise",
        """
        \(insert)
        ON CONFLICT (\(key)) DO UPDATE SET
            conversion_value = CASE WHEN \(raises) THEN excluded.conversion_value ELSE stored.conversion_value END,
            coarse_value = CASE WHEN \(raises) THEN excluded.coarse_value ELSE stored.coarse_value END,
            previous_conversion_value =
                CASE WHEN \(raises) THEN stored.conversion_value ELSE stored.previous_conversion_value END,
            previous_coarse_value =
                CASE WHEN \(raises) THEN stored.coarse_value ELSE stored.previous_coarse_value END,
            raised_at = CASE WHEN \(raises) THEN excluded.received_at ELSE stored.raised_at END,
            raised_payload = CASE WHEN \(raises) THEN excluded.payload ELSE stored.raised_payload END,
            conflicts = stored.conflicts + CASE WHEN \(raises) THEN 0 ELSE 1 END
        WHERE \(raises) OR \(changesKind)
        RETURNING \(StoredPostback.columns)
        """)

    private static let insertOrKeepFirst = PostgresStatement(
        "postback_insert_or_keep_first",
        """
        \(insert)
        ON CONFLICT (\(key)) DO UPDATE SET conflicts = stored.conflicts + 1
        WHERE \(raises) OR \(changesKind)
        RETURNING \(StoredPostback.columns)
        """)

    private static let insert = """
        INSERT INTO attribution.postback AS stored (
            \(key),
            version, campaign_type, campaign, advertised_app_id, source_app_id, source_domain, redownload,
            conversion_type, fidelity_type, ad_interaction_type, marketplace_identifier,
            conversion_value, first_conversion_value, coarse_value, first_coarse_value, country_code,
            received_at, developer_copy, relay_normalised, signing_key, payload)
        SELECT \(key),
               version, campaign_type, campaign, advertised_app_id, source_app_id, source_domain, redownload,
               conversion_type, fidelity_type, ad_interaction_type, marketplace_identifier,
               conversion_value, conversion_value, coarse_value, coarse_value, country_code,
               received_at, developer_copy, relay_normalised, signing_key, payload
          FROM unnest(
                   $1::uuid[], $2::text[], $3::text[], $4::text[], $5::smallint[], $6::boolean[],
                   $7::text[], $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::text[], $13::boolean[],
                   $14::text[], $15::smallint[], $16::text[], $17::text[],
                   $18::smallint[], $19::text[], $20::text[],
                   $21::timestamptz[], $22::boolean[], $23::boolean[], $24::text[], $25::json[])
               AS delivery (
                   \(key),
                   version, campaign_type, campaign, advertised_app_id, source_app_id, source_domain, redownload,
                   conversion_type, fidelity_type, ad_interaction_type, marketplace_identifier,
                   conversion_value, coarse_value, country_code,
                   received_at, developer_copy, relay_normalised, signing_key, payload)
         ORDER BY \(key)
        """

    /// The parameters of `insertOrRaise`, one array a column.
    static func bindings(_ round: [(key: PostbackKeyColumns, delivery: PostbackDelivery)]) -> PostgresBindings {
        var bindings = PostgresBindings()
        let keys = round.map(\.key)
        let verified = round.map(\.delivery.verified)
        let postbacks = verified.map(\.postback)
        let skAdNetwork = postbacks.map(\.details.skAdNetwork)
        let adAttributionKit = postbacks.map(\.details.adAttributionKit)
        bindings.append(keys.map(\.transactionID))
        bindings.append(keys.map(\.environment))
        bindings.append(keys.map(\.networkProtocol))
        bindings.append(keys.map(\.adNetworkID))
        bindings.append(keys.map(\.sequenceIndex))
        bindings.append(keys.map(\.didWin))
        bindings.append(postbacks.map { $0.version?.description ?? Self.noVersion })
        bindings.append(postbacks.map(\.campaign.type))
        bindings.append(postbacks.map(\.campaign.text))
        bindings.append(postbacks.map(\.advertisedAppID.value))
        bindings.append(postbacks.map(\.source?.appID?.value))
        bindings.append(postbacks.map(\.source?.domain?.text))
        bindings.append(skAdNetwork.map(\.?.redownload))
        bindings.append(adAttributionKit.map(\.?.conversionType.rawValue))
        bindings.append(skAdNetwork.map { ($0?.fidelityType?.rawValue).map(Int16.init) })
        bindings.append(adAttributionKit.map(\.?.adInteractionType?.rawValue))
        bindings.append(adAttributionKit.map(\.?.marketplaceIdentifier?.text))
        bindings.append(postbacks.map { ($0.conversionValue.fine?.value).map(Int16.init) })
        bindings.append(postbacks.map(\.conversionValue.coarse?.rawValue))
        bindings.append(postbacks.map(\.countryCode?.text))
        bindings.append(round.map(\.delivery.receivedAt))
        bindings.append(verified.map(\.isDeveloperCopy))
        bindings.append(postbacks.map(\.isRelayNormalised))
        bindings.append(verified.map(\.signingKey))
        bindings.append(jsons: postbacks.map(\.body))
        return bindings
    }

    /// What stands in `version` for AdAttributionKit, whose postbacks carry none.
    private static let noVersion = "none"

    /// Adds conflicts to one row, for deliveries of a batch that repeat one which the row already refused.
    static let addConflicts = PostgresStatement(
        "postback_add_conflicts",
        """
        UPDATE attribution.postback
           SET conflicts = conflicts + $7
         WHERE transaction_id = $1 AND environment = $2 AND protocol = $3 AND ad_network_id = $4
           AND sequence_index = $5 AND did_win = $6
        """)

    /// The parameters of `addConflicts`.
    static func bindings(_ key: PostbackKeyColumns, conflicts: Int) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(key.transactionID)
        bindings.append(key.environment)
        bindings.append(key.networkProtocol)
        bindings.append(key.adNetworkID)
        bindings.append(key.sequenceIndex)
        bindings.append(key.didWin)
        bindings.append(Int32(clamping: conflicts))
        return bindings
    }
}
