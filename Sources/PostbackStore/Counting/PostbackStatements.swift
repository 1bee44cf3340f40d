import AdAttribution
import PostgresClient

/// The statements that write postbacks.
///
/// Every value is a bound parameter, times included; nothing here calls now().
enum PostbackStatements {
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
        WITH written AS (
        \(insert)
        ON CONFLICT (\(PostbackKeyColumns.columns)) DO UPDATE SET
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
        RETURNING \(returned)
        )\(appendChanges)
        """)

    private static let insertOrKeepFirst = PostgresStatement(
        "postback_insert_or_keep_first",
        """
        WITH written AS (
        \(insert)
        ON CONFLICT (\(PostbackKeyColumns.columns)) DO UPDATE SET conflicts = stored.conflicts + 1
        WHERE \(raises) OR \(changesKind)
        RETURNING \(returned)
        )\(appendChanges)
        """)

    /// All that the rest of the statement reads; not the payload, which would be copied.
    private static let returned = """
        \(PostbackKeyColumns.columns), received_at, developer_copy, campaign_type, campaign, advertised_app_id,
        source_app_id, source_domain, redownload, conversion_type, conversion_value, coarse_value,
        first_conversion_value, first_coarse_value, previous_conversion_value, previous_coarse_value, raised_at, conflicts
        """

    /// New rows become changes of the figures at once; what changed in others, the caller finds out.
    private static let appendChanges = """
        , appended AS (
            INSERT INTO attribution.postback_change (\(PostbackChangeStatement.columns))
            SELECT advertised_app_id, \(StoredPostback.day), 1, 0, 0, sequence_index,
                   coalesce(conversion_value, -1), did_win, developer_copy, environment, protocol, ad_network_id,
                   campaign_type, campaign, \(StoredPostback.sourceApp), coalesce(coarse_value, ''),
                   \(StoredPostback.kind)
              FROM written
             WHERE NOT (\(OfferedRound.isUpdated))
        )
        SELECT \(OfferedRound.columns) FROM written
        """

    /// Rows go in in the order of their key.
    private static let insert = """
        INSERT INTO attribution.postback AS stored (
            \(DeliveryStaging.columns), first_conversion_value, first_coarse_value)
        SELECT \(DeliveryStaging.columns), conversion_value, coarse_value
          FROM \(DeliveryStaging.table)
         ORDER BY \(PostbackKeyColumns.columns)
        """

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
