import CNIOLinux
import Glibc

/// The host that a request is meant for, as the header `Host` says.
///
/// Source: RFC 9112, section 3.2; RFC 3986, section 3.2.2.
package enum RequestHost: Sendable, Equatable {
    /// A numeric IPv4 address, or a numeric IPv6 address in brackets.
    case address
    /// A name in lower case, without the dot at its end; empty if the client names no host.
    case name(String)

    /// Reads a host with or without a port.
    ///
    /// Nil if it breaks the grammar: a character that no host can have, brackets around something else than an IPv6
    /// address, a port that is no number.
    package init?(_ text: some StringProtocol) {
        guard let (host, isBracketed) = Self.host(of: Substring(text)) else { return nil }
        if isBracketed || Self.isAddress(host, AF_INET) {
            self = .address
        } else {
            let name = host.lowercased()
            self = .name(name.hasSuffix(".") ? String(name.dropLast()) : name)
        }
    }

    /// Whether a text is a host with or without a port.
    ///
    /// Every request is asked this. So nothing is copied but an address in brackets.
    static func isWellFormed(_ text: String) -> Bool { host(of: Substring(text)) != nil }

    /// The host without its port and brackets; nil if the text breaks the grammar.
    private static func host(of text: Substring) -> (Substring, isBracketed: Bool)? {
        let isBracketed = text.utf8.first == UInt8(ascii: "[")
        var host = text
        var port = text.suffix(0)
        if isBracketed {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = text[..<end].dropFirst()
            port = text[text.utf8.index(after: end)...]
        } else if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            host = text[..<colon]
            port = text[colon...]
        }
        guard isBracketed ? isAddress(host, AF_INET6) : isName(host),
            port.isEmpty || port.utf8.first == UInt8(ascii: ":"),
            port.utf8.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return (host, isBracketed)
    }

    /// Whether a text is a `reg-name`.
    private static func isName(_ text: Substring) -> Bool {
        var digitsDue = 0
        for byte in text.utf8 {
            switch UnicodeScalar(byte) {
            case "0"..."9", "a"..."f", "A"..."F": digitsDue = max(0, digitsDue - 1)
            case _ where digitsDue > 0: return false
            case "%": digitsDue = 2
            // The rest of `unreserved`, and `sub-delims`.
            case "g"..."z", "G"..."Z", "-", ".", "_", "~", "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=": break
            default: return false
            }
        }
        return digitsDue == 0
    }

    private static func isAddress(_ text: Substring, _ family: Int32) -> Bool {
        // No IPv6 address has more than 45 characters. In C a text ends at a zero byte, which is refused before.
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return false }
        var bits = in6_addr()
        return inet_pton(family, String(text), &bits) == 1
    }
}
