/// The bundle identifier of the marketplace that an app came from, such as `com.apple.AppStore`.
///
/// Source: Apple, AdAttributionKit, "Identifying the parameters in a postback".
public struct MarketplaceIdentifier: TextWireValue {
    /// The identifier as received.
    public let text: String

    /// The identifier, or nil where it is not 1 to 255 printable ASCII characters.
    public init?(_ text: String) {
        guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.text = text
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "1 to 255 printable ASCII characters"
}
