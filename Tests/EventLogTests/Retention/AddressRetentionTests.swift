import PostbackQuarantine
import PostgresClient
import TestSupport
import Testing

@testable import AdAttribution
@testable import EventLog
@testable import PostbackStore

@Suite(
    "Source addresses past their retention", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason),
    .database)
struct AddressRetentionTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let deliveries: Deliveries
    private let origin = DeliveryOrigin(address: IPAddress("203.0.113.7"), userAgent: "Phone/1")

    init() throws {
        deliveries = try Deliveries()
    }

    private var rules: RetentionRules {
        var rules = RetentionRules()
        rules.addressDays = 3
        return rules
    }

    private static let kept = """
        SELECT concat_ws(' ', (clock_timestamp() AT TIME ZONE 'UTC')::date - attribution.day_of_writing(position),
                         count(source_address), count(user_agent), count(payload))
          FROM attribution.postback_body GROUP BY attribution.day_of_writing(position) ORDER BY min(position)
        """

    @Test("Addresses and User-Agents of a day leave, the bodies stay, and a day is done once")
    func bodies() async throws {
        for days in [8, 4, 3] {
            let batch = try (0..<30).map { _ in try deliveries.one(origin: origin) }
            #expect(try await store.record(batch).areAll(.accepted))
            try await database.moveToday(back: days)
        }
        #expect(try await store.forgetAddresses(RetentionRules()) == nil)
        // A server that died when it had begun.
        try await database.run(
            "SELECT attribution.begin_to_forget_addresses(min(day)) FROM attribution.written_days('body') AS day"
        )
        #expect(try await store.forgetAddresses(rules) != nil)
        #expect(try await database.column(Self.kept) == ["8 0 0 30", "4 30 30 30", "3 30 30 30"])
        #expect(try await store.forgetAddresses(rules) != nil)
        #expect(try await store.forgetAddresses(rules) == nil)
        #expect(try await database.column(Self.kept) == ["8 0 0 30", "4 0 0 30", "3 30 30 30"])
        #expect(
            try await database.value(
                "SELECT count(*) FROM attribution.postback_origin WHERE source_address IS NULL") == "60")
        // Nothing is missing for a recount.
        #expect(try await database.column("SELECT day FROM attribution.missing_day") == [])
        #expect(try await database.recount() == [])
    }

    @Test("Addresses in the quarantine leave too, and its size stays right")
    func quarantine() async throws {
        let now = PostbackStore.now()
        for (number, days) in [8, 4, 3, 0].enumerated() {
            let time = PostgresTimestamp(
                microsecondsSince2000: now.microsecondsSince2000 - Int64(days) * 86_400_000_000)
            try await store.quarantine([
                RejectedPostback(
                    body: Array("{\"\(number)\"".utf8),
                    rejection: PostbackRejection(.malformed, field: "body", rule: "is made up"),
                    receivedAt: time, origin: origin)
            ])
        }
        try await store.forgetRejectedAddresses(rules)
        #expect(
            try await database.column(
                """
                SELECT concat_ws(' ', coalesce(host(source_address), '-'), coalesce(user_agent, '-'))
                  FROM attribution.rejected_postback ORDER BY first_seen_at
                """) == ["- -", "- -", "203.0.113.7 Phone/1", "203.0.113.7 Phone/1"])
        #expect(try await hasRightUsage())
    }

    @Test("One address leaves all days and the quarantine with its User-Agents, and no other one leaves")
    func forget() async throws {
        let other = DeliveryOrigin(address: IPAddress("2001:db8::7"), userAgent: "Phone/2")
        for days in [4, 0] {
            let batch = try (0..<20).map { number in try deliveries.one(origin: number < 15 ? origin : other) }
            #expect(try await store.record(batch).areAll(.accepted))
            if days > 0 { try await database.moveToday(back: days) }
        }
        for (number, origin) in [origin, other].enumerated() {
            try await store.quarantine([
                RejectedPostback(
                    body: Array("{\"\(number)\"".utf8),
                    rejection: PostbackRejection(.malformed, field: "body", rule: "is made up"),
                    receivedAt: PostbackStore.now(), origin: origin)
            ])
        }
        let address = try #require(IPAddress("203.0.113.7"))
        let forgotten = try await store.forget(address)
        #expect(forgotten == ForgottenAddress(bodies: 30, days: 2, refusals: 1, archives: []))
        #expect(try await store.forget(address) == ForgottenAddress())
        #expect(
            try await database.column(
                """
                SELECT concat_ws(' ', host(source_address), user_agent, count(*), count(payload))
                  FROM attribution.postback_body GROUP BY source_address, user_agent ORDER BY 1
                """) == ["2001:db8::7 Phone/2 10 10", "30 30"])
        #expect(
            try await database.column(
                """
                SELECT concat_ws(' ', coalesce(host(source_address), '-'), coalesce(user_agent, '-'))
                  FROM attribution.rejected_postback ORDER BY body
                """) == ["- -", "2001:db8::7 Phone/2"])
        #expect(try await hasRightUsage())
        #expect(try await database.recount() == [])
    }

    /// Whether the size of the quarantine that is kept is that of its rows.
    private func hasRightUsage() async throws -> Bool {
        try await database.value(
            """
            SELECT (usage.rows, usage.bytes) = (
                     (SELECT count(*), sum(octet_length(body) + octet_length(detail) + 512
                                           + coalesce(octet_length(user_agent), 0))
                        FROM attribution.rejected_postback))
              FROM attribution.rejected_postback_usage AS usage WHERE NOT protected
            """) == "true"
    }
}
