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
