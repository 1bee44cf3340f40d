import AdAttribution
import PostbackStore
import PostgresClient
import TestSupport
import Testing

@testable import PostbackQuarantine

@Suite("The quarantine's limits", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct QuarantineLimitTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private func rejected(_ body: String, second: Int64 = 0) throws -> RejectedPostback {
        try Refused.malformed(body, second: second)
    }

    private func bodies(_ database: TestDatabase) async throws -> [String] {
        try await database.quarantined(protected: false)
    }

    @Test("One body too many pushes out the oldest body and no other")
    func exactRows() async throws {
        let limits = QuarantineLimits(maximumRows: 3, maximumBytes: 1 << 20)
        let store = try database.store(quarantineLimits: limits)
        for second in Int64(0)..<6 {
            try await store.quarantine([rejected("{\"n\":\(second)}", second: second)])
        }
        #expect(try await bodies(database) == ["{\"n\":3}", "{\"n\":4}", "{\"n\":5}"])
        // Seen again, the oldest is the newest.
        try await store.quarantine([rejected("{\"n\":3}", second: 10), rejected("{\"n\":9}", second: 11)])
        #expect(try await bodies(database) == ["{\"n\":5}", "{\"n\":3}", "{\"n\":9}"])
    }

    @Test("Too many bytes push out the oldest bodies, and no more than needed")
    func exactBytes() async throws {
        let body = "{\"n\":0}"
        let weight = Int64(body.utf8.count + "ad-network-id: is missing".utf8.count + 512)
        let limits = QuarantineLimits(maximumRows: 1_000, maximumBytes: 4 * weight)
        let store = try database.store(quarantineLimits: limits)
        for second in Int64(0)..<6 {
            try await store.quarantine([rejected("{\"n\":\(second)}", second: second)])
        }
        #expect(try await bodies(database) == (2..<6).map { "{\"n\":\($0)}" })
        #expect(try await database.quarantineUsage() == ["f 4 \(4 * weight)", "t 0 0"])
        // More than all that goes in one step.
        let many = QuarantineLimits(maximumRows: 1_000, maximumBytes: 200 * weight)
        let large = PostbackStore(pool: store.pool, quarantineLimits: many)
        try await large.quarantine((100..<280).map { try rejected("{\"\($0)\":\($0)}", second: $0) })
        try await store.quarantine([rejected("{\"n\":9}", second: 1_000)])
        #expect(try await bodies(database).last == "{\"n\":9}")
        let total = try await database.value(
            """
            SELECT sum(octet_length(body) + octet_length(detail) + 512) FROM attribution.rejected_postback
            """)
        let used = try await database.value("SELECT bytes FROM attribution.rejected_postback_usage WHERE NOT protected")
        #expect(used == total)
    }

    @Test("With limits of 0 nothing is stored, and nothing fails", arguments: [(Int64(0), Int64(1_000)), (1_000, 0)])
    func zero(_ rows: Int64, _ bytes: Int64) async throws {
        let limits = QuarantineLimits(maximumRows: rows, maximumBytes: bytes)
        let store = try database.store(quarantineLimits: limits)
        try await store.quarantine([rejected("{}"), Refused.signedByApple("a")])
        #expect(try await store.quarantineRows() == 0)
        #expect(try await database.quarantineUsage() == ["f 0 0", "t 0 0"])
    }

    @Test("First and last time are right, whatever the order of writing")
    func times() async throws {
        for seconds in [[Int64(5), 3, 9], [1, 7], [20]] {
            try await store.quarantine(seconds.map { try rejected("{}", second: $0) })
        }
        #expect(
            try await database.value(
                """
                SELECT concat_ws(' ', attempts, extract(epoch FROM first_seen_at)::bigint - 1790000000,
                                 extract(epoch FROM last_seen_at)::bigint - 1790000000)
                  FROM attribution.rejected_postback
                """) == "6 1 20")
    }
}
