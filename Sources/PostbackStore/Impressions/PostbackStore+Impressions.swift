import PostgresClient
import Synchronization

extension PostbackStore {
    /// Adds counts of signed impressions, all of them or none.
    ///
    /// - Throws: `ImpressionFlushError.outcomeUnknown` if the connection was lost during the commit. Ask `wasCommitted`
    ///   then whether the counts were added.
    package func add(_ impressions: [ImpressionKey: Int64]) async throws {
        guard !impressions.isEmpty else { return }
        let keys = Set(impressions.keys.map(\.line))
        var readOn = dimensions.timeline
        var lines = try await lines(of: keys)
        while dimensions.timeline != readOn {
            readOn = dimensions.timeline
            lines = try await self.lines(of: keys)
        }
        var bindings = PostgresBindings()
        bindings.append(impressions.keys.map { lines[$0.line] ?? 0 })
        bindings.append(impressions.keys.map(\.quarter))
        bindings.append(Array(impressions.values))
        let (parameters, expected) = (bindings, readOn)
        let transaction = Mutex<String?>(nil)
        do {
            try await pool.withTransaction("add_impressions") { connection in
                let identifier = try connection.query(Self.currentTransaction).first?.decode(String.self, at: 0)
                transaction.withLock { $0 = identifier }
                _ = try connection.query(Self.addImpressions, parameters)
                // If a standby has taken over since the numbers were read, they may be those of other lines.
                let timeline = try Timeline.read(over: connection)
                dimensions.begin(timeline)
                guard timeline == expected else { throw OtherTimeline() }
            }
        } catch let error as PostgresError where error.isOutcomeUnknown {
            guard let identifier = transaction.withLock({ $0 }) else { throw error }
            throw ImpressionFlushError.outcomeUnknown(transaction: identifier)
        }
    }

    /// Whether a transaction was committed; nil if it is still under way.
    ///
    /// Counts have no key: if they are added twice, they are doubled. So they are added again only after this was
    /// asked.
    package func wasCommitted(transaction: String) async throws -> Bool? {
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
            // "Transaction ID is in the future": a crash lost the transaction, so it was not committed.
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
        SELECT line, attribution.day_of(quarter) AS day, sum(impressions)
          FROM unnest($1::integer[], $2::timestamptz[], $3::bigint[]) AS signed (line, quarter, impressions)
         GROUP BY 1, 2
         ORDER BY 1, 2
        ON CONFLICT (line, day) DO UPDATE SET
            impressions = attribution.added(stored.impressions, excluded.impressions)
        """)
}

/// Why it is not known whether counts of impressions were added.
package enum ImpressionFlushError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The connection was lost during the commit of this transaction.
    case outcomeUnknown(transaction: String)

    /// The reason in words.
    package var description: String {
        switch self {
        case .outcomeUnknown(let transaction):
            "the connection was lost during the commit of transaction \(transaction), so it is not known whether it took place"
        }
    }
}
