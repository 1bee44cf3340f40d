import PostgresClient
import Synchronization

extension PostbackStore {
    /// Adds counts of signed impressions, all of them or none.
    ///
    /// - Throws: `ImpressionFlushError.outcomeUnknown` where the connection broke during the commit: only
    ///   `wasCommitted` can then tell whether the counts are in.
    public func add(_ impressions: [ImpressionKey: Int64]) async throws {
        guard !impressions.isEmpty else { return }
        let lines = try await lines(of: Set(impressions.keys.map(\.line)))
        var bindings = PostgresBindings()
        bindings.append(impressions.keys.map { lines[$0.line] ?? 0 })
        bindings.append(impressions.keys.map(\.day))
        bindings.append(Array(impressions.values))
        let parameters = bindings
        let transaction = Mutex<String?>(nil)
        do {
            try await pool.withTransaction("add_impressions") { connection in
                let identifier = try connection.query(Self.currentTransaction).first?.decode(String.self, at: 0)
                transaction.withLock { $0 = identifier }
                _ = try connection.query(Self.addImpressions, parameters)
            }
        } catch let error as PostgresError where error.isOutcomeUnknown {
            guard let identifier = transaction.withLock({ $0 }) else { throw error }
            throw ImpressionFlushError.outcomeUnknown(transaction: identifier)
        }
    }

    /// Whether a transaction whose commit was cut off went through; nil while it is still under way.
    ///
    /// Counts are not like postbacks, which a second delivery can't double, so they must not be added on a guess.
    public func wasCommitted(transaction: String) async throws -> Bool? {
        do {
            return try await pool.withConnection { connection -> Bool? in
                var bindings = PostgresBindings()
                bindings.append(transaction)
                guard let row = try connection.query(Self.transactionStatus, bindings).first else { return false }
                switch try row.decode(String?.self, at: 0) {
                case "committed": return true
                case "in progress": return nil
                default: return false
                }
            }
        } catch let error as PostgresError where error.sqlState == Self.invalidParameterValue {
            // "Transaction ID is in the future": a crash forgot it, so it can't have been committed.
            return false
        }
    }

    private static let invalidParameterValue = SQLState("22023")

    private static let currentTransaction = PostgresStatement(
        "impression_transaction", "SELECT pg_current_xact_id()::text")

    private static let transactionStatus = PostgresStatement(
        "impression_transaction_status", "SELECT pg_xact_status($1::text::xid8)")

    private static let addImpressions = PostgresStatement(
        "impressions_add",
        """
        INSERT INTO attribution.campaign_daily AS stored (line, day, impressions)
        SELECT line, day, impressions
          FROM unnest($1::integer[], $2::date[], $3::bigint[]) AS signed (line, day, impressions)
         ORDER BY line, day
        ON CONFLICT (line, day) DO UPDATE SET impressions = stored.impressions + excluded.impressions
        """)
}

/// Why counts of impressions could not be added for certain.
public enum ImpressionFlushError: Error, Sendable, Equatable {
    /// The connection broke during the commit of this transaction.
    case outcomeUnknown(transaction: String)
}
