import PostgresClient

/// The statements about products, each of which has one row with a number.
enum ProductStatements {
    /// The number of the product of a row `offered`; NULL if it has no row.
    static let number = """
        SELECT known.product FROM attribution.store_product AS known
         WHERE known.bundle_id = offered.bundle_id AND known.product_id = offered.product_id
        """

    /// The step that adds the rows that products of offers lack.
    static func add(for transactions: [OfferedTransaction], _ renewals: [OfferedRenewal]) -> PostgresPipelineStep {
        var bindings = PostgresBindings()
        bindings.append(transactions.map(\.bundleID) + renewals.map(\.bundleID))
        bindings.append(transactions.map(\.productID) + renewals.map(\.productID))
        return PostgresPipelineStep(adding, bindings)
    }

    /// What is there is not offered: each row that is offered takes a number, even if it is not added.
    private static let adding = PostgresStatement(
        "store_products",
        """
        INSERT INTO attribution.store_product (bundle_id, product_id)
        SELECT DISTINCT bundle_id, product_id
          FROM unnest($1::text[], $2::text[]) AS offered (bundle_id, product_id)
         WHERE (\(number)) IS NULL
         ORDER BY bundle_id, product_id
        ON CONFLICT DO NOTHING
        """)
}
