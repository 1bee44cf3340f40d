/// An ad network identifier: 1 to 64 of `A–Z a–z 0–9 . -`, kept as received.
///
/// Signatures cover its bytes as they are; networks are told apart without regard to case and without the suffix,
/// since Apple lets one network use either suffix in either framework.
/// Source: Apple, "Registering an ad network", "AdAttributionKit and SKAdNetwork interoperability".
public struct AdNetworkID: TextWireValue {
    /// The identifier as received or given.
    public let text: String

    /// The identifier, or nil where its length or a character is out of range.
    public init?(_ text: String) {
        var text = text
        guard (1...64).contains(text.utf8.count), text.withUTF8({ $0.allSatisfy(Self.isAllowed) }) else { return nil }
        self.text = text
    }

    /// The lower-case form: what is stored, and the only form that may be signed.
    public var lowercased: String { isLowercase ? text : text.lowercased() }

    /// Whether the identifier is in lower case, as signing demands.
    public var isLowercase: Bool { !text.utf8.contains { (0x41...0x5A).contains($0) } }

    /// What two spellings of one network share: lower case, without `.skadnetwork` or `.adattributionkit`.
    public var matchingForm: String {
        let lower = lowercased
        for suffix in Self.suffixes where lower.hasSuffix(suffix) && lower != suffix {
            return String(lower.dropLast(suffix.count))
        }
        return lower
    }

    /// What Apple puts behind the name of a network, in one framework or the other.
    static let suffixes = [".skadnetwork", ".adattributionkit"]

    /// What the value must be, to complete "must be …".
    public static let rule = "1 to 64 characters out of A-Z a-z 0-9 . -"

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2E, 0x2D: true
        default: false
        }
    }
}
