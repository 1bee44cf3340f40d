import AdAttribution
import PostbackStore
import PostgresClient
import TestSupport
import Testing

@testable import PostbackQuarantine

@Suite("The quarantine", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct QuarantineTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    private func rejected(_ body: String, second: Int64 = 0) throws -> RejectedPostback {
        try Refused.malformed(body, second: second)
    }

    /// The running size, against the rows themselves.
    private func usageIsRight(_ database: TestDatabase) async throws -> Bool {
        try await database.quarantineUsage() == database.quarantineRecount()
    }

    @Test("A body is stored whole, once for each reason, with attempts, first and last time")
    func oneRow() async throws {
        try await store.quarantine([rejected("{}"), rejected("[", second: 1), rejected("{}", second: 2)])
        try await store.quarantine([rejected("{}", second: 60)])
        #expect(
            try await database.column(
                """
                SELECT concat_ws('|', convert_from(body, 'UTF8'), reason, detail, field, attempts,
                                 last_seen_at - first_seen_at)
                  FROM attribution.rejected_postback ORDER BY body
                """) == [
                    "[|malformed|byte 1: JSON ends too early|1|00:00:00",
                    "{}|malformed|ad-network-id: is missing|ad-network-id|3|00:01:00",
                ])
        #expect(try await store.quarantineRows() == 2)
        #expect(try await usageIsRight(database))
    }

    @Test(
        "If rows or bytes pass the limit, the oldest are deleted first, and forged bodies never push out what Apple signed"
    )
    func limits() async throws {
        try await database.withStore(quarantineLimits: QuarantineLimits(maximumRows: 10, maximumBytes: 1 << 20)) {
            store in
            try await store.quarantine([Refused.signedByApple("a")])
            for start in stride(from: Int64(0), to: 100, by: 25) {
                try await store.quarantine((start..<start + 25).map { try rejected("{\"n\":\($0)}", second: 100 + $0) })
                #expect(try await usageIsRight(database))
            }
            #expect(try await database.quarantined(protected: false) == (90..<100).map { "{\"n\":\($0)}" })
            #expect(try await database.quarantined(protected: true).count == 1)
            let small = PostbackStore(
                pool: store.pool, quarantineLimits: QuarantineLimits(maximumRows: 1_000, maximumBytes: 5_000))
            try await small.quarantine(
                (0..<5).map {
                    try rejected("{\"\(String(repeating: "x", count: 1_500))\":\($0)}", second: 300 + $0)
                })
            #expect(
                try await database.value("SELECT max(bytes) <= 5000 FROM attribution.rejected_postback_usage")
                    == "true")
            #expect(try await usageIsRight(database))
        }
    }

    @Test("Two writers at once keep the stored size right")
    func writers() async throws {
        let limits = QuarantineLimits(maximumRows: 40, maximumBytes: 1 << 20)
        let store = try database.store(quarantineLimits: limits)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<10 {
                        let batch = try (0..<8).map {
                            let body = "\(($0 * 5 + round + task) % 70)"
                            return try $0 % 3 == 0
                                ? Refused.signedByApple(body, .fine(Int64(round)), second: Int64(round))
                                : rejected("{\"n\":\(body)}", second: Int64(round))
                        }
                        try await store.quarantine(batch)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await usageIsRight(database))
    }
}
