/// A country of ISO 3166-1 in two capital letters, unsigned, such as `US`.
///
/// Source: Apple, "Identifying the parameters in install-validation postbacks".
public struct CountryCode: TextWireValue {
    /// The two letters.
    public let text: String

    /// The code, or nil where it is not two capital letters.
    public init?(_ text: String) {
        guard text.utf8.count == 2, text.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else { return nil }
        self.text = text
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "two capital letters"
}
