import NIOCore

/// A request to the admin listener that costs much, and needs no token.
enum CostlyRequest: String, CaseIterable, Sendable {
    /// A form of 16 KB with 8,000 names.
    case form
    /// The same as one part of 1 KB, as much as the form for signing in may have.
    case smallForm = "small-form"
    /// A form of 16 KB with boundaries only.
    case multipart
    /// A type of a body that is 7 KB long.
    case type
    /// A query of 7 KB with 3,500 names.
    case query
    /// The same at a screen, which puts it into another address.
    case address
    /// A path of 3,500 segments.
    case path
    /// A wrong token in the form.
    case formToken = "form-token"
    /// A wrong token in `Authorization`.
    case bearerToken = "bearer-token"
    /// The same with 7 KB.
    case longToken = "long-token"
    /// A made-up session.
    case cookie
    /// 3,500 cookies.
    case cookies
    /// The header of a proxy with 3,500 parts.
    case forwarded
    /// A body of 1 MiB, without a token.
    case body
    /// A body of 64 KB in chunks of a byte, without a token.
    case chunks
    /// The form to sign in.
    case signIn = "sign-in"
    /// Live events, without a session.
    case live
    case metrics
    case ready
    case openAPI = "openapi"

    /// The bytes of requests of this kind, which are sent in turns.
    var requests: [ByteBuffer] { texts.map { ByteBuffer(string: $0) } }

    private var texts: [String] {
        switch self {
        case .form: [Self.post("/sign-in", Self.formType, Self.many("a&", 16_384))]
        case .smallForm: [Self.post("/sign-in", Self.formType, Self.many("a&", 1_024))]
        case .multipart:
            [Self.post("/sign-in", "Content-Type: multipart/form-data; boundary=x\r\n", Self.many("\r\n--x", 16_384))]
        case .type:
            [
                Self.post(
                    "/sign-in", "Content-Type: multipart/form-data; boundary=\(Self.many("x", 7_000))\r\n", "token=a")
            ]
        case .query: [Self.get("/sign-in?" + Self.many("a&", 7_000))]
        case .address: [Self.get("/?" + Self.many("a&", 7_000))]
        case .path: [Self.get(Self.many("/a", 7_000))]
        case .formToken: [Self.post("/sign-in", Self.formType, "token=" + Self.many("0", 64))]
        case .bearerToken: [Self.get("/v1/reports", "Authorization: Bearer \(Self.many("0", 64))\r\n")]
        case .longToken: [Self.get("/v1/reports", "Authorization: Bearer \(Self.many("0", 7_000))\r\n")]
        // A session had 43 characters before its cookie could be told from a made-up one.
        case .cookie: [86, 43].map { Self.get("/", "Cookie: session=\(Self.many("A", $0))\r\n") }
        case .cookies: [Self.get("/", "Cookie: \(Self.many("a;", 7_000))\r\n")]
        case .forwarded: [Self.get("/", "Forwarded: \(Self.many("a;", 7_000))\r\n")]
        case .body: [Self.post("/v1/impressions", "", Self.many(" ", 1 << 20))]
        case .chunks:
            [
                "POST /v1/impressions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + Self.many("1\r\na\r\n", 6 * 65_536) + "0\r\n\r\n"
            ]
        case .signIn: [Self.get("/sign-in")]
        case .live: [Self.get("/live/events")]
        case .metrics: [Self.get("/metrics")]
        case .ready: [Self.get("/ready")]
        case .openAPI: [Self.get("/openapi.json")]
        }
    }

    private static let formType = "Content-Type: application/x-www-form-urlencoded\r\n"

    private static func many(_ text: String, _ bytes: Int) -> String {
        String(repeating: text, count: bytes / text.utf8.count)
    }

    private static func get(_ target: String, _ headers: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n"
    }

    private static func post(_ target: String, _ headers: String, _ body: String) -> String {
        "POST \(target) HTTP/1.1\r\nHost: localhost\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}
