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
        // A server and a proxy before it must not understand one of these differently (RFC 9112, sections 3.2 and 6.1).
        if hosts > 1 || hosts == 0 && !isOld {
            refusal = .malformed("Host", "must be there exactly once")
        } else if !RequestHost.isWellFormed(host) {
            refusal = .malformed("Host", "must be a host, and a port or none")
        } else if let authority = Self.authority(of: head.uri), authority.lowercased() != host.lowercased() {
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

    /// The authority of a target in absolute form (RFC 9112, section 3.2.2); nil if it has another form.
    private static func authority(of target: String) -> Substring? {
        guard target.utf8.first != UInt8(ascii: "/"), let scheme = target.firstRange(of: "://") else { return nil }
        return target[scheme.upperBound...].prefix { !"/?#".contains($0) }
    }

    /// The lengths of the names that are looked at.
    private static let lengths: Set<Int> = [4, 6, 7, 14, 17]
}
