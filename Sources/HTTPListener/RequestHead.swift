import CNIOLinux
import Glibc
import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// What the limits must know of the head of a request.
struct RequestHead: Equatable {
    /// Whether it is a HEAD request, whose response has no body.
    let isHeadRequest: Bool
    /// Whether no request can follow on the connection.
    ///
    /// The client says so, or it asks for another protocol, after which the decoder reads no more requests.
    let isLast: Bool
    /// The declared length of the body; the largest number if it is too large for one.
    private(set) var declaredBodyLength: Int?
    /// Whether there is a body: neither a length nor a transfer coding means that there is none.
    private(set) var hasBody = false
    /// Whether the client waits for `100 Continue` before it sends its body.
    ///
    /// Clients of HTTP/1.0 don't know it (RFC 9110, section 10.1.1).
    private(set) var expectsContinue = false
    /// The refusal of the head, if it breaks a rule.
    private(set) var refusal: RequestError?

    /// Reads a head, each header once.
    init(_ head: HTTPRequestHead) {
        isHeadRequest = head.method == .HEAD
        var hosts = 0
        var host = ""
        var codings: [String] = []
        var upgrades = false
        for (name, value) in head.headers where Self.lengths.contains(name.utf8.count) {
            switch name.lowercased() {
            case "host":
                hosts += 1
                host = value
            case "expect": expectsContinue = value.lowercased() == "100-continue"
            case "upgrade": upgrades = true
            case "content-length":
                declaredBodyLength = Int(value) ?? .max
                hasBody = true
            case "transfer-encoding":
                codings.append(value.lowercased())
                hasBody = true
            default: break
            }
        }
        isLast = upgrades || head.method == .CONNECT || !head.isKeepAlive
        let isOld = (head.version.major, head.version.minor) < (1, 1)
        if isOld { expectsContinue = false }
        // A server and a proxy before it must not understand one of these differently (RFC 9112, sections 3.2 and 6.1).
        if hosts > 1 || hosts == 0 && !isOld {
            refusal = .malformed("Host", "must be there exactly once")
        } else if !RequestHost.isWellFormed(host) {
            refusal = .malformed("Host", "must be a host, and a port or none")
        } else if hosts > 0, let own = Authority(ofTarget: head.uri), !own.is(host) {
            // Some take the target's, others Host.
            refusal = .malformed("Host", "must be that of the target")
        } else if !codings.isEmpty, isOld {
            refusal = .malformed("Transfer-Encoding", "must not be there in HTTP/1.0")
        } else if !codings.isEmpty, codings != ["chunked"] {
            refusal = .malformed("Transfer-Encoding", "must be chunked")
        } else if (try? HTTPRequest.Method(head.method)) == nil {
            refusal = .malformed("method", "must be a token")
        }
    }

    /// The authority of a target in absolute form (RFC 9112, section 3.2.2).
    private struct Authority {
        private let text: Substring
        private let defaultPort: String

        /// Nil if the target has another form.
        init?(ofTarget target: String) {
            guard target.utf8.first != UInt8(ascii: "/"), let scheme = target.firstRange(of: "://") else { return nil }
            defaultPort = target[..<scheme.lowerBound].lowercased() == "https" ? ":443" : ":80"
            text = target[scheme.upperBound...].prefix { !"/?#".contains($0) }
        }

        /// Whether a `Host` is the same: upper case and the port of the scheme make no difference (RFC 9110, section 4.2.3).
        func `is`(_ host: String) -> Bool { normal(text) == normal(host[...]) }

        private func normal(_ authority: Substring) -> String {
            let lower = authority.lowercased()
            return lower.hasSuffix(defaultPort) ? String(lower.dropLast(defaultPort.count)) : lower
        }
    }

    /// The lengths of the names that are looked at.
    private static let lengths: Set<Int> = [4, 6, 7, 14, 17]
}

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
