import PostgresClient

/// The statement for deliveries of a batch that repeat one which their row already refused.
enum ConflictStatement {
    /// Adds conflicts to one row, and appends that.
    static let add = PostgresStatement(
        "postback_add_conflicts",
        """
        WITH written AS (
            UPDATE attribution.postback
               SET conflicts = conflicts + $7
             WHERE transaction_id = $1 AND environment = $2 AND protocol = $3 AND ad_network_id = $4
               AND sequence_index = $5 AND did_win = $6
            RETURNING *
        )
        INSERT INTO attribution.postback_change (\(PostbackChange.columns))
        SELECT \(PostbackChange.values(postbacks: "0", raised: "0", conflicts: "$7", valuePrefix: "")) FROM written
        """)

    /// The parameters of `add`.
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
