/// Whether a later delivery of a known postback may raise its conversion value, which Apple does not sign.
public enum ConversionPolicy: String, Sendable, CaseIterable {
    /// A strictly higher value raises the stored one; a lower or equal one is ignored.
    case monotonic
    /// The first value stays; a higher one is counted as a conflict.
    case first
}
