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
