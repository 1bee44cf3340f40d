/// When an ad was about to be served: milliseconds since 1970, thirteen digits.
///
/// Thirteen digits span September 2001 to November 2286 and keep out seconds, the commonest mistake.
/// Source: Apple, "SKStoreProductParameterAdNetworkTimestamp".
public struct MillisecondTimestamp: IntegerWireValue, Comparable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    public let milliseconds: Int64

    /// The timestamp, or nil where it has not thirteen digits.
    public init?(_ integer: Int64) {
        guard (1_000_000_000_000...9_999_999_999_999).contains(integer) else { return nil }
        milliseconds = integer
    }

    /// The order in time.
    public static func < (left: MillisecondTimestamp, right: MillisecondTimestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "milliseconds since 1970, an integer of 13 digits"
}
