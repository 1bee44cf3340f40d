package import PostbackStore
package import PostgresClient

extension PostbackStore {
    /// How many bodies are deleted in one transaction.
    private static var bodiesAtOnce: Int { 1_000 }

    /// Deletes the bodies of notifications that were received before a time, in portions.
    ///
    /// The notifications and what they brought stay.
    ///
    /// - Returns: The number of bodies that were deleted.
    @discardableResult
    package func dropStoreBodies(before time: PostgresTimestamp) async throws -> Int {
        var bindings = PostgresBindings()
        bindings.append(time)
        bindings.append(Int64(Self.bodiesAtOnce))
        let parameters = bindings
        var dropped = 0
        while true {
            let count = try await pool.withStatement("drop_store_bodies") { connection in
                try connection.query(StoreBodyStatements.drop, parameters).affectedRows
            }
            dropped += count
            guard count == Self.bodiesAtOnce else { return dropped }
        }
    }
}

/// The statements of the retention of bodies.
private enum StoreBodyStatements {
    /// Rows are found by their place in the table (`ctid`): nobody changes them.
    static let drop = PostgresStatement(
        "store_bodies_drop",
        """
        DELETE FROM attribution.store_body
         WHERE ctid = ANY (ARRAY(SELECT ctid FROM attribution.store_body
                                  WHERE received_at < $1
                                  ORDER BY received_at
                                  LIMIT $2::bigint))
        """)
}
