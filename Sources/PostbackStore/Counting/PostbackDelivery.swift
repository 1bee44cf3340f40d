package import AdAttribution
package import PostgresClient

/// One delivery of a verified postback.
package struct PostbackDelivery: Sendable {
    /// The postback.
    package let verified: VerifiedPostback
    /// When it was received.
    package let receivedAt: PostgresTimestamp
    /// Its source address and User-Agent.
    package let origin: DeliveryOrigin
    /// The numbers of its rows of the dimensions; nil if they were not looked up.
    var rows: DeliveryRows?

    /// Takes a postback, its time of receipt and its origin.
    package init(_ verified: VerifiedPostback, receivedAt: PostgresTimestamp, origin: DeliveryOrigin = .unknown) {
        self.verified = verified
        self.receivedAt = receivedAt
        self.origin = origin
    }
}

/// The numbers of a delivery's rows of the dimensions, and the timeline of the database on which they were read.
struct DeliveryRows: Sendable {
    let ids: DimensionIDs
    let timeline: Timeline
}

/// The outcome of a counted delivery.
package enum DeliveryOutcome: Sendable, Hashable {
    /// The first delivery of its key: a new row.
    case accepted
    /// A known key, and nothing new.
    case duplicate
    /// A known key with a strictly higher conversion value, which is now the current one.
    case raised
    /// A known key with another value that was ignored and counted in `conflicts`.
    ///
    /// The value is of the other kind or, under the policy `first`, higher.
    case conflict
}

/// Whether a later delivery of a known postback may raise its conversion value, which Apple does not sign.
package enum ConversionPolicy: String, Sendable, CaseIterable {
    /// A strictly higher value raises the stored one; a lower or equal one is ignored.
    case monotonic
    /// The first value stays; a higher one is counted as a conflict.
    case first
}
