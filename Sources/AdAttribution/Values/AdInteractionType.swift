/// Whether the ad of an AdAttributionKit postback was seen or tapped; unsigned.
///
/// Source: Apple, AdAttributionKit, "Identifying the parameters in a postback".
public enum AdInteractionType: String, TextWireValue, CaseIterable {
    /// The ad was seen.
    case view
    /// The ad was tapped.
    case click

    init?(_ text: String) {
        self.init(rawValue: text)
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "view or click"
}
