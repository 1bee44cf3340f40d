/// Which conversion window a postback reports: 0, 1 or 2; versions before 4.0 know only the first.
///
/// Source: Apple, "Receiving postbacks in multiple conversion windows".
public struct PostbackSequenceIndex: IntegerWireValue {
    /// The index, 0…2.
    public let value: UInt8

    /// The index, or nil outside 0…2.
    public init?(_ integer: Int64) {
        guard (0...2).contains(integer) else { return nil }
        value = UInt8(integer)
    }

    /// The first window, days 0 to 2; the only one before version 4.0.
    public static let first = PostbackSequenceIndex(first: ())

    private init(first: Void) {
        value = 0
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "0, 1 or 2"
}
