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
