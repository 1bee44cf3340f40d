import AdAttribution
import PostgresClient
import TestSupport
import Testing

@testable import PostbackStore

@Suite("The quarantine page by page", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason))
struct QuarantinePageTests {
    private func rejected(
        _ body: String, under ring: KeyRing? = nil, second: Int64 = 0
    ) throws -> RejectedPostback {
        let bytes = Array(body.utf8)
        let rejection = try #require(throws: PostbackRejection.self) { try Postback(parsing: bytes) }
        return RejectedPostback(
            body: bytes, rejection: rejection, isKnown: second % 3 == 0,
            receivedAt: PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000 + second * 1_000))
    }

    private func usage(_ database: TestDatabase) async throws -> [String?] {
        try await database.column(
            "SELECT concat_ws(' ', known, rows, bytes) FROM attribution.rejected_postback_usage ORDER BY known")
    }

    @Test("bodies come once each, in the order of first receipt, however many reasons they have and whatever goes")
    func pages() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let store = PostbackStore(pool: pool)
                // Seven bodies a second, so that pages of five end between equal times.
                try await store.quarantine((0..<40).map { try rejected("{\"n\":\($0)}", second: Int64($0 / 7)) })
                // One body under another reason too, first seen later under it and earlier under the old one.
                try await database.run(
                    """
                    INSERT INTO attribution.rejected_postback
                    SELECT body_sha256, 'unknown_network', detail, field, body, checked_message, known, attempts,
                           first_seen_at + interval '1 day', last_seen_at + interval '1 day'
                      FROM attribution.rejected_postback WHERE body = '{"n":3}';
                    UPDATE attribution.rejected_postback_usage AS u
                       SET rows = u.rows + 1, bytes = u.bytes + r.weight
                      FROM (SELECT known, octet_length(body) + octet_length(detail) + 256 AS weight
                              FROM attribution.rejected_postback WHERE reason = 'unknown_network') AS r
                     WHERE r.known = u.known
                    """)
                var seen: [QuarantinedBody] = []
                while case let page = try await store.quarantinedBodies(after: seen.last, limit: 5), !page.isEmpty {
                    seen += page
                    // What was handed out may go at once; what comes in meanwhile is later.
                    if seen.count % 2 == 0 { try await store.removeFromQuarantine(page) }
                    if seen.count < 20 { try await store.quarantine([rejected("[\(seen.count)", second: 1_000)]) }
                }
                let texts = seen.map { String(decoding: $0.body, as: UTF8.self) }
                #expect(Set(texts).count == texts.count)
                #expect(Set(texts).isSuperset(of: (0..<40).map { "{\"n\":\($0)}" }))
                #expect(seen.map(\.firstSeenAt) == seen.map(\.firstSeenAt).sorted())
                #expect(seen.allSatisfy { SHA256.digest($0.body) == $0.digest })
                let rest = try await database.value("SELECT count(*) FROM attribution.rejected_postback")
                let removed = try await store.removeFromQuarantine(seen)
                #expect(String(removed) == rest)
                #expect(try await usage(database) == ["f 0 0", "t 0 0"])
                #expect(try await store.removeFromQuarantine(seen) == 0)
            }
        }
    }

    @Test("the running size stays right where one writer adds what another takes out")
    func writers() async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                let store = PostbackStore(pool: pool)
                try await withThrowingTaskGroup { group in
                    for writer in 0..<4 {
                        group.addTask {
                            for round in 0..<15 {
                                let bodies = try (0..<10).map {
                                    try rejected("{\"n\":\($0 + round * 3)}", second: Int64($0 * writer))
                                }
                                try await store.quarantine(bodies)
                                let page = try await store.quarantinedBodies(after: nil, limit: writer * 3 + 1)
                                try await store.removeFromQuarantine(page)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let recount = try await database.column(
                    """
                    SELECT concat_ws(' ', usage.known, count(stored.body),
                                     coalesce(sum(octet_length(body) + octet_length(detail) + 256), 0))
                      FROM attribution.rejected_postback_usage AS usage
                      LEFT JOIN attribution.rejected_postback AS stored USING (known)
                     GROUP BY usage.known ORDER BY usage.known
                    """)
                #expect(try await usage(database) == recount)
            }
        }
    }
}
