package import PostbackStore
package import PostgresClient

/// A row of the quarantine, for people who look at it.
package struct RefusedBody: Sendable {
    /// The key of the row.
    package let key: [UInt8]
    /// Why it was refused: the kind, the rule, and the field if it is one.
    package let reason: String
    package let detail: String
    package let field: String?
    /// The network that it names, in lower case; nobody has verified it, unless Apple signed it.
    package let adNetworkID: String?
    /// The advertised app, the campaign as received and the transaction that it names, as unverified as the network.
    package let advertisedAppID: Int64?
    package let campaign: String?
    package let transactionID: String?
    /// Whether Apple signed it.
    package let isProtected: Bool
    /// How often it came, and when first and last.
    package let attempts: Int64
    package let firstSeenAt: PostgresTimestamp
    package let lastSeenAt: PostgresTimestamp
    package let userAgent: String?
    /// The first body, byte for byte.
    package let body: [UInt8]
    /// The bytes that the signature was checked over; nil if it was not checked.
    package let checkedMessage: [UInt8]?

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        key = try columns.next()
        reason = try columns.next()
        detail = try columns.next()
        field = try columns.next()
        adNetworkID = try columns.next()
        advertisedAppID = try columns.next()
        campaign = try columns.next()
        transactionID = try columns.next()
        isProtected = try columns.next()
        attempts = try columns.next()
        firstSeenAt = try columns.next()
        lastSeenAt = try columns.next()
        userAgent = try columns.next()
        body = try columns.next()
        checkedMessage = try columns.next()
    }
}

extension PostbackStore {
    /// A row of the quarantine; nil if it is not there any more.
    package func refusedBody(_ key: [UInt8]) async throws -> RefusedBody? {
        var bindings = PostgresBindings()
        bindings.append(bytea: key)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(RefusedBodyStatements.one, parameters).first.map(RefusedBody.init)
        }
    }

    /// A row of the quarantine, to be verified again; nil if it is not there any more.
    package func quarantinedBody(_ key: [UInt8]) async throws -> QuarantinedBody? {
        var bindings = PostgresBindings()
        bindings.append(bytea: key)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(QuarantineStatements.one, parameters).first.map(QuarantinedBody.init)
        }
    }
}

/// The statements that show rows of the quarantine.
private enum RefusedBodyStatements {
    static let one = PostgresStatement(
        "refused_body",
        """
        SELECT key, reason, detail, field, ad_network_id, advertised_app_id, campaign, transaction_id::text, protected,
               attempts, first_seen_at, last_seen_at, user_agent, body, checked_message
          FROM attribution.rejected_postback
         WHERE key = $1
        """)
}
