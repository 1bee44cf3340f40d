import PostgresClient

/// The temporary table through which many deliveries at once reach the statement that counts them.
///
/// Each connection has its own, empty outside a transaction.
enum DeliveryStaging {
    /// The table, as statements name it; no other schema can stand before it.
    static let table = "pg_temp.postback_delivery"

    /// Makes the table; once for each connection.
    static let create = PostgresStatement(
        "postback_delivery_create",
        """
        CREATE TEMPORARY TABLE IF NOT EXISTS postback_delivery (\(DeliveryColumns.declarations)) ON COMMIT DELETE ROWS
        """)

    /// Takes the deliveries in.
    static let copy = PostgresStatement(
        "postback_delivery_copy", "COPY \(table) (\(DeliveryColumns.names)) FROM STDIN (FORMAT binary)")

    /// From so many deliveries on this is faster than sending them as arrays.
    static let threshold = 150
}
