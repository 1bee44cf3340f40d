import AdAttribution
import PostgresClient

/// A table that has one row for each key of offers, which a newer version replaces.
struct StoreOfferTable<Offer: StoreOffer>: Sendable {
    private let statement: PostgresStatement
    private let columns: [StoreColumn<Offer>]

    /// Takes the columns besides those that all offers have: key, product, `signed_at` and `payload_sha256`.
    ///
    /// - Parameters:
    ///   - name: The name of the statement.
    ///   - table: The name of the table.
    ///   - id: The column that is the key, with `environment`.
    ///   - hasRevocation: Whether it has `revoked_at`.
    ///   - hasKnownAt: Whether it has `known_at` and `renewal_changed_at`: an older V1 replaces no newer one.
    init(
        _ name: StaticString, table: String, id: String, hasRevocation: Bool = false, hasKnownAt: Bool = false,
        columns others: [StoreColumn<Offer>]
    ) {
        let key: [StoreColumn<Offer>] = [
            .text("environment") { $0.environment.rawValue },
            .text(id) { $0.id },
        ]
        let product: [StoreColumn<Offer>] = [
            .text("bundle_id") { $0.bundleID },
            .text("product_id") { $0.productID },
        ]
        let version: [StoreColumn<Offer>] = [
            .time("signed_at") { $0.version.signedAt },
            .bytes("payload_sha256") { $0.version.payloadSHA256 },
        ]
        let content = version + others
        let (stored, offered) = hasRevocation ? ("stored.revoked_at", "excluded.revoked_at") : ("NULL", "NULL")
        // If the offered version is not signed, `store_replaces` says that the stored one is not signed either.
        let isNotOlder =
            hasKnownAt
            ? """
            excluded.signed_at IS NOT NULL
                    OR CASE WHEN excluded.known_at IS DISTINCT FROM stored.known_at
                            THEN coalesce(excluded.known_at > stored.known_at, stored.known_at IS NULL)
                            ELSE coalesce(excluded.renewal_changed_at >= stored.renewal_changed_at, true) END
            """ : "true"
        columns = key + product + content
        // All in one statement and sorted, so that two lanes that change the same rows can't wait for each other.
        statement = PostgresStatement(
            name,
            """
            INSERT INTO attribution.\(table) AS stored (\(key.names()), product, \(content.names()))
            SELECT \(key.names()), (\(ProductStatements.number)), \(content.names())
              FROM \(columns.rows())
             ORDER BY \(key.names())
            ON CONFLICT (\(key.names())) DO UPDATE SET product = excluded.product, \(content.assignments())
             WHERE attribution.store_replaces(
                       stored.signed_at, \(stored), stored.payload_sha256,
                       excluded.signed_at, \(offered), excluded.payload_sha256)
               AND (\(isNotOlder))
            """)
    }

    /// The step that offers rows; their products must have rows.
    func step(_ offers: [Offer]) -> PostgresPipelineStep {
        PostgresPipelineStep(statement, columns.bindings(offers.merged()))
    }
}
