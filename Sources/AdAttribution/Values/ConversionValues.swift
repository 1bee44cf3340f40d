/// A fine conversion value: six bits, 0…63, set by the advertised app and not signed by Apple.
///
/// Source: Apple, "SKAdNetwork/updateConversionValue(_:)".
public struct ConversionValue: IntegerWireValue, Comparable {
    /// The value, 0…63.
    public let value: UInt8

    /// The value; nil if it is not in 0…63.
    ///
    /// It is never clamped.
    public init?(_ integer: Int64) {
        guard (0...63).contains(integer) else { return nil }
        value = UInt8(integer)
    }

    /// The order of the values.
    public static func < (left: ConversionValue, right: ConversionValue) -> Bool {
        left.value < right.value
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "an integer from 0 to 63"
}

/// A coarse conversion value, low < medium < high, set by the advertised app and not signed by Apple.
///
/// Source: Apple, "SKAdNetwork.CoarseConversionValue". Relays write it in capitals, which are accepted too.
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
    package static let rule = "low, medium or high"
}

/// The conversion value of a postback: none, a fine one or a coarse one.
public enum ReportedConversionValue: Sendable, Hashable {
    /// The postback has no value that counts.
    case none
    /// `conversion-value`.
    case fine(ConversionValue)
    /// `coarse-conversion-value`.
    case coarse(CoarseConversionValue)

    /// The fine value, if it is one.
    public var fine: ConversionValue? {
        guard case .fine(let value) = self else { return nil }
        return value
    }

    /// The coarse value, if it is one.
    public var coarse: CoarseConversionValue? {
        guard case .coarse(let value) = self else { return nil }
        return value
    }
}

/// The conversion window of a postback: 0, 1 or 2.
///
/// Versions before 4.0 have only the first one.
///
/// Source: Apple, "Receiving postbacks in multiple conversion windows".
public struct PostbackSequenceIndex: IntegerWireValue {
    /// The index, 0…2.
    public let value: UInt8

    /// The index; nil if it is not in 0…2.
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
    package static let rule = "0, 1 or 2"
}
