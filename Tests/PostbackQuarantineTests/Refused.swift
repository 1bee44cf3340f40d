import PostbackStore
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import PostbackQuarantine

/// Refused bodies for the tests of the quarantine.
struct Refused: Sendable {
    private let keys: TestKeys
    private let stranger: SigningKey

    /// The ring knows `example123.skadnetwork` and not `com.example`, the network of Apple's documentation postback.
    init() throws {
        keys = try TestKeys(otherNetworks: false)
        stranger = try SigningKey.generate(.p192)
    }

    static func time(_ second: Int64) -> PostgresTimestamp {
        PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000 + second * 1_000)
    }

    /// A body that is no postback.
    static func malformed(
        _ body: String, second: Int64 = 0, detail: String? = nil, origin: DeliveryOrigin = .unknown
    ) throws -> RejectedPostback {
        let bytes = Array(body.utf8)
        var rejection = try #require(throws: PostbackRejection.self) { try Postback(parsing: bytes) }
        if let detail { rejection = PostbackRejection(rejection.reason, rule: detail) }
        return RejectedPostback(body: bytes, rejection: rejection, receivedAt: time(second), origin: origin)
    }

    /// A body that Apple signed, of a transaction that the tests name; Apple's own are few.
    static func signedByApple(
        _ transaction: String, _ offered: ReportedConversionValue = .none, body: String? = nil, second: Int64 = 0,
        environment: AttributionEnvironment = .production, origin: DeliveryOrigin = .unknown
    ) throws -> RejectedPostback {
        let refused = try malformed(body ?? "{\"signed by Apple\":\"\(transaction) \(offered)\"}")
        return RejectedPostback(
            body: refused.body, rejection: refused.rejection, receivedAt: time(second), origin: origin,
            transaction: ProtectedTransaction(key: transaction, environment: environment, offered: offered))
    }

    /// A body as the verifier refuses it.
    func verdict(on body: [UInt8], second: Int64 = 0) throws -> RejectedPostback {
        let rejection = try #require(throws: PostbackRejection.self) { try keys.verified(body) }
        return RejectedPostback(body: body, rejection: rejection, receivedAt: Self.time(second))
    }

    /// A made-up body, refused for a reason.
    func forged(_ reason: PostbackRejection.Reason, _ number: Int, second: Int64 = 0) throws -> RejectedPostback {
        let refused: RejectedPostback
        switch reason {
        case .invalidSignature: refused = try verdict(on: TestPostback().body(stranger), second: second)
        case .unknownNetwork:
            let postback = TestPostback { $0.adNetworkID = "com.example" }
            refused = try verdict(on: postback.body(stranger), second: second)
        case .unsupportedVersion:
            refused = try Self.malformed("{\"version\":\"9.9\",\"n\":\(number)}", second: second)
        case .malformed, .tooLarge: refused = try Self.malformed("{\"n\":\(number)}", second: second)
        }
        try #require(refused.rejection.reason == reason)
        try #require(refused.transaction == nil)
        return refused
    }
}

extension TestDatabase {
    /// The running size of both halves: not protected, protected.
    func quarantineUsage() async throws -> [String?] {
        try await column(
            "SELECT concat_ws(' ', protected, rows, bytes) FROM attribution.rejected_postback_usage ORDER BY protected")
    }

    /// The same, counted from the rows.
    func quarantineRecount() async throws -> [String?] {
        try await column(
            """
            SELECT concat_ws(' ', usage.protected, count(stored.body),
                             coalesce(sum(octet_length(body) + coalesce(octet_length(raised_body), 0)
                                          + coalesce(octet_length(checked_message), 0) + octet_length(detail)
                                          + coalesce(octet_length(ad_network_id), 0)
                                          + coalesce(octet_length(user_agent), 0)
                                          + coalesce(octet_length(raised_user_agent), 0) + 512), 0))
              FROM attribution.rejected_postback_usage AS usage
              LEFT JOIN attribution.rejected_postback AS stored USING (protected)
             GROUP BY usage.protected ORDER BY usage.protected
            """)
    }

    /// The bodies of a half in the order in which they were last seen.
    func quarantined(protected: Bool) async throws -> [String] {
        try await column(
            """
            SELECT convert_from(body, 'UTF8') FROM attribution.rejected_postback
             WHERE protected = \(protected) ORDER BY last_seen_at, key
            """
        ).compactMap { $0 }
    }
}
