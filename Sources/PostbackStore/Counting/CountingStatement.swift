import PostgresClient

/// The one statement that counts deliveries: writes postbacks, tells what became of each, and appends what that changes.
///
/// Every value is a bound parameter, times included; nothing here calls now().
enum CountingStatement {
    /// The statement for deliveries that come as arrays.
    static func unnesting(_ policy: ConversionPolicy) -> PostgresStatement {
        policy == .monotonic ? unnestMonotonic : unnestFirst
    }

    /// The statement for deliveries that lie in the temporary table.
    static func staged(_ policy: ConversionPolicy) -> PostgresStatement {
        policy == .monotonic ? stagedMonotonic : stagedFirst
    }

    /// The outcomes, as the last column of a returned row tells them; a row that nothing happened to is not returned.
    static let accepted: Int16 = 0
    static let raised: Int16 = 1
    private static let conflict: Int16 = 2

    private static let unnestMonotonic = PostgresStatement(
        "postback_count_arrays", text(source: arrays, update: raise))
    private static let unnestFirst = PostgresStatement(
        "postback_count_arrays_first", text(source: arrays, update: keepFirst))
    private static let stagedMonotonic = PostgresStatement(
        "postback_count_staged", text(source: DeliveryStaging.table, update: raise))
    private static let stagedFirst = PostgresStatement(
        "postback_count_staged_first", text(source: DeliveryStaging.table, update: keepFirst))

    private static let arrays = "unnest(\(DeliveryColumns.arrays)) AS delivery (\(DeliveryColumns.names))"
    private static let key = PostbackKeyColumns.names

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

    /// What an update does, which happens only where one of the two above holds: then the offered value raises the stored
    /// one unless one of them is fine and the other coarse.
    private static let raise: String = {
        let raises = """
            ((stored.coarse_value IS NULL OR excluded.coarse_value IS NOT NULL)
             AND (stored.conversion_value IS NULL OR excluded.conversion_value IS NOT NULL))
            """
        let changes = [
            ("conversion_value", "excluded.conversion_value"), ("coarse_value", "excluded.coarse_value"),
            ("previous_conversion_value", "stored.conversion_value"), ("previous_coarse_value", "stored.coarse_value"),
            ("raised_at", "excluded.received_at"), ("raised_payload", "excluded.payload"),
        ]
        let assignments = changes.map { "\($0) = CASE WHEN \(raises) THEN \($1) ELSE stored.\($0) END" }
        return (assignments + ["conflicts = stored.conflicts + CASE WHEN \(raises) THEN 0 ELSE 1 END"])
            .joined(separator: ",\n")
    }()

    private static let keepFirst = "conflicts = stored.conflicts + 1"

    /// What the rest of the statement reads of a written row; not the payload, which would be copied.
    private static let returned = """
        \(key), received_at, developer_copy, campaign_type, campaign, advertised_app_id, source_app_id, source_domain,
        redownload, conversion_type, conversion_value, coarse_value, first_conversion_value, first_coarse_value,
        previous_conversion_value, previous_coarse_value, raised_at, conflicts
        """

    /// Inserts postbacks, one of each key, or lets them change the stored row as the policy allows.
    ///
    /// Rows go in in the order of their key, so that two writers never wait for each other in a circle; PostgreSQL locks
    /// a conflicting row even where the WHERE clause then leaves it alone. It has no "old" values in RETURNING before
    /// version 18, so the row itself keeps the previous ones. An insert leaves neither a raise nor a conflict behind, and
    /// an update always leaves one of them; an update that raised made the offered value the current one, which a
    /// conflict never does.
    private static func text(source: String, update: String) -> String {
        """
        WITH delivery AS (
            SELECT \(DeliveryColumns.names) FROM \(source)
        ),
        written AS (
            INSERT INTO attribution.postback AS stored (
                \(DeliveryColumns.names), first_conversion_value, first_coarse_value)
            SELECT \(DeliveryColumns.names), conversion_value, coarse_value FROM delivery ORDER BY \(key)
            ON CONFLICT (\(key)) DO UPDATE SET \(update)
            WHERE \(raises) OR \(changesKind)
            RETURNING \(returned)
        ),
        outcome AS (
            SELECT written.*,
                   CASE WHEN raised_at IS NULL AND conflicts = 0 THEN \(accepted)
                        WHEN written.conversion_value IS NOT DISTINCT FROM delivery.conversion_value
                             AND written.coarse_value IS NOT DISTINCT FROM delivery.coarse_value THEN \(raised)
                        ELSE \(conflict)
                   END::smallint AS outcome
              FROM written
              JOIN delivery USING (\(key))
        ),
        appended AS (
            INSERT INTO attribution.postback_change (\(PostbackChange.columns))
            \(change(postbacks: "1", to: "", where: "outcome = \(accepted)"))
            UNION ALL
            \(change(postbacks: "-1", to: "previous_", where: "outcome = \(raised)"))
            UNION ALL
            \(change(postbacks: "1", raised: PostbackChange.isFirstRaise, to: "", where: "outcome = \(raised)"))
            UNION ALL
            \(change(postbacks: "0", conflicts: "1", to: "", where: "outcome = \(conflict)"))
        )
        SELECT \(key), outcome FROM outcome
        """
    }

    private static func change(
        postbacks: String, raised: String = "0", conflicts: String = "0", to prefix: String, where condition: String
    ) -> String {
        let values = PostbackChange.values(
            postbacks: postbacks, raised: raised, conflicts: conflicts, valuePrefix: prefix)
        return "SELECT \(values) FROM outcome WHERE \(condition)"
    }
}
