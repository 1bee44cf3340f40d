/// A fine conversion value: six bits, 0…63, set by the advertised app and not signed by Apple.
///
/// Source: Apple, "SKAdNetwork/updateConversionValue(_:)".
public struct ConversionValue: IntegerWireValue, Comparable {
    /// The value, 0…63.
    public let value: UInt8

    /// The value, or nil outside 0…63; it is never clamped.
    public init?(_ integer: Int64) {
        guard (0...63).contains(integer) else { return nil }
        value = UInt8(integer)
    }

    /// The order of the values.
    public static func < (left: ConversionValue, right: ConversionValue) -> Bool {
        left.value < right.value
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "an integer from 0 to 63"
}
