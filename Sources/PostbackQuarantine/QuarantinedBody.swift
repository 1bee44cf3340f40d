package import PostbackStore
package import PostgresClient

/// A body of the quarantine, or the two bodies of a transaction that Apple signed.
///
/// The two are the first body and the last one that raised the value.
package struct QuarantinedBody: Sendable, Equatable {
    /// A delivery of a body.
    package struct Delivery: Sendable, Equatable {
        /// The body, byte for byte.
        package let body: [UInt8]
        /// When it was received for the first time.
        package let receivedAt: PostgresTimestamp
        /// Its source address and User-Agent.
        package let origin: DeliveryOrigin
    }

    /// The first body.
    package let first: Delivery
    /// The last body that raised the value of the transaction.
    package let raised: Delivery?
    /// Whether it is in the protected half.
    package let isProtected: Bool

    /// The place in the order of the pages.
    let firstSeenAt: PostgresTimestamp
    let key: [UInt8]

    /// The deliveries to count, in the order of arrival.
    package var deliveries: [Delivery] { [first] + (raised.map { [$0] } ?? []) }

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        firstSeenAt = try columns.next()
        key = try columns.next()
        isProtected = try columns.next()
        first = Delivery(
            body: try columns.next(), receivedAt: try columns.next(),
            origin: try DeliveryOrigin(stored: &columns))
        let raisedBody: [UInt8]? = try columns.next()
        let raisedAt: PostgresTimestamp? = try columns.next()
        let raisedOrigin = try DeliveryOrigin(stored: &columns)
        if let raisedBody, let raisedAt {
            raised = Delivery(body: raisedBody, receivedAt: raisedAt, origin: raisedOrigin)
        } else {
            raised = nil
        }
    }
}
