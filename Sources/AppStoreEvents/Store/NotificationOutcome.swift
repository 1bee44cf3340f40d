/// The outcome of a stored notification.
package enum NotificationOutcome: String, Sendable, Hashable, CaseIterable {
    /// The first delivery of its id.
    case accepted
    /// A known id.
    ///
    /// If its body is another one than before, its transactions are offered again.
    case duplicate
}
