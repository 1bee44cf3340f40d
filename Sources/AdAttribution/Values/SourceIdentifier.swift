/// A source identifier of SKAdNetwork 4.0 and AdAttributionKit: one to four decimal digits, leading zeros kept.
///
/// An impression carries an integer of up to four digits; a postback carries the last two, three or four of them as
/// a string, so `05` and `5` differ. Source: Apple, "SKAdImpression/sourceIdentifier" and "Receiving postbacks in
/// multiple conversion windows".
public struct SourceIdentifier: IntegerWireValue, TextWireValue {
    /// The digits, exactly as signed.
    public let text: String

    /// The identifier that an impression signs, 0…9999, written without leading zeros.
    public init?(_ integer: Int64) {
        guard (0...9_999).contains(integer) else { return nil }
        text = String(integer)
    }

    /// The identifier that a postback carries: one to four digits.
    public init?(_ text: String) {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.text = text
    }

    /// What the value must be where an integer carries it, as in an impression.
    public static let rule = "an integer from 0 to 9999"

    static let textRule = "one to four decimal digits"
}
