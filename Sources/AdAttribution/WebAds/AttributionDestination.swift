/// The site of a network that devices ask for the signed payload of a web ad: `https://` and a host.
///
/// Devices ask its eTLD+1, whatever subdomain stands here.
/// Source: Apple, "Creating an attributable ad link".
public struct AttributionDestination: TextWireValue {
    /// The host, in lower case.
    public let host: String

    /// The destination, or nil where it is not `https://`, a domain in lower case and at most a slash behind it.
    public init?(_ text: String) {
        let scheme = "https://"
        guard text.hasPrefix(scheme) else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard let domain = SourceDomain(String(rest.hasSuffix("/") ? rest.dropLast() : rest)) else { return nil }
        host = domain.text
    }

    /// The destination as it stands in a link.
    public var text: String { "https://" + host }

    /// Whether a domain that a device names can be this destination's eTLD+1: the host itself, or a domain above it.
    public func isIn(_ domain: SourceDomain) -> Bool {
        host == domain.text || host.hasSuffix("." + domain.text)
    }

    /// What the value must be, to complete "must be …".
    public static let rule = "https:// and a domain in lower case, such as https://example.com"
}
