/// What a delivery did to the stored postback.
public enum DeliveryOutcome: Sendable, Hashable {
    /// The first of its key: a new row.
    case accepted
    /// A known key and nothing new.
    case duplicate
    /// A known key with a strictly higher conversion value, which is now the current one.
    case raised
    /// A known key with a value that contradicts the stored one; ignored and counted in `conflicts`.
    case conflict
}
