import PublicSuffixes

/// The domain a web ad was shown on or a web click came from: its eTLD+1 in lower case, such as `example.com`.
///
/// Source: Apple, "Generating a signature for attributable web ads".
public struct SourceDomain: TextWireValue {
    /// The domain as received or given.
    public let text: String

    /// Reads a domain: 3 to 253 of `a–z 0–9 . -`, at least one inner dot, labels of 1 to 63; nil for other texts.
    public init?(_ text: String) {
        guard (3...253).contains(text.utf8.count) else { return nil }
        let labels = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(Self.isAllowed) })
        else { return nil }
        self.text = text
    }

    /// What the value must be, to complete "must be …".
    package static let rule = "a domain in lower case, such as example.com"

    /// What the domain of a network must be, to complete "must be …": `registrable` is not nil.
    package static let networkRule = "a domain that somebody can register, such as example.com, and no public suffix"

    /// The domain's eTLD+1, by the Public Suffix List; nil if it is a public suffix itself, such as `co.uk`, or an
    /// address.
    ///
    /// A postback is never refused for it: another list than ours may have decided what Apple's device sends.
    package var registrable: SourceDomain? {
        PublicSuffixList.embedded.registrableDomain(of: text).flatMap { SourceDomain($0) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, 0x2D: true
        default: false
        }
    }
}
