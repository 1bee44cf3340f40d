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

/// A coarse conversion value, low < medium < high, set by the advertised app and not signed by Apple.
///
/// Source: Apple, "SKAdNetwork.CoarseConversionValue"; relays write it in capitals, which is read the same.
public enum CoarseConversionValue: String, TextWireValue, Comparable {
    /// The lowest of the three.
    case low
    /// The middle one.
    case medium
    /// The highest of the three.
    case high

    init?(_ text: String) {
        self.init(rawValue: text.lowercased())
    }

    /// The order low < medium < high.
    public static func < (left: CoarseConversionValue, right: CoarseConversionValue) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .low: 0
        case .medium: 1
        case .high: 2
        }
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "low, medium or high"
}

/// What a postback says of the conversion: nothing, a fine value or a coarse one, never both.
public enum ReportedConversionValue: Sendable, Hashable {
    /// The postback carries no value that counts.
    case none
    /// `conversion-value`.
    case fine(ConversionValue)
    /// `coarse-conversion-value`.
    case coarse(CoarseConversionValue)

    /// The fine value, if that is what was reported.
    public var fine: ConversionValue? {
        guard case .fine(let value) = self else { return nil }
        return value
    }

    /// The coarse value, if that is what was reported.
    public var coarse: CoarseConversionValue? {
        guard case .coarse(let value) = self else { return nil }
        return value
    }
}

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
