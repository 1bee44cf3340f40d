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
        var host = Substring(text)
        var port = host.prefix(0)
        if host.utf8.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            port = host[end...].dropFirst()
            host = host[..<end].dropFirst()
            guard Self.isAddress(host, AF_INET6) else { return nil }
            self = .address
        } else {
            if let colon = host.firstIndex(of: ":") {
                port = host[colon...]
                host = host[..<colon]
            }
            guard Self.isName(host) else { return nil }
            if Self.isAddress(host, AF_INET) {
                self = .address
            } else {
                let name = host.lowercased()
                self = .name(name.hasSuffix(".") ? String(name.dropLast()) : name)
            }
        }
        guard port.isEmpty || port.utf8.first == UInt8(ascii: ":"),
            port.utf8.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
    }

    /// Whether a text is a `reg-name`.
    private static func isName(_ text: Substring) -> Bool {
        var digitsDue = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"):
                digitsDue = max(0, digitsDue - 1)
            case _ where digitsDue > 0: return false
            case UInt8(ascii: "g")...UInt8(ascii: "z"), UInt8(ascii: "G")...UInt8(ascii: "Z"): break
            case UInt8(ascii: "%"): digitsDue = 2
            // The rest of `unreserved`, and `sub-delims`.
            case _ where Self.marks.contains(byte): break
            default: return false
            }
        }
        return digitsDue == 0
    }

    private static let marks = Set("-._~!$&'()*+,;=".utf8)

    private static func isAddress(_ text: Substring, _ family: Int32) -> Bool {
        // No IPv6 address has more than 45 characters. In C a text ends at a zero byte, which is refused before.
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return false }
        var bits = in6_addr()
        return inet_pton(family, String(text), &bits) == 1
    }
}
