import AdAttribution
import PostbackStore
import PostgresClient
import TestSupport
import Testing

@testable import PostbackQuarantine

@Suite("The quarantine page by page", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct QuarantinePageTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current

    /// Every third body is one that Apple signed.
    private func rejected(_ body: String, second: Int64 = 0) throws -> RejectedPostback {
        try second % 3 == 0
            ? Refused.signedByApple(body, body: body, second: second) : Refused.malformed(body, second: second)
    }

    @Test("Each body comes once, in the order of first receipt, however many reasons it has and whatever is deleted")
    func pages() async throws {
        // Seven bodies a second, so that pages of five end between equal times.
        try await store.quarantine((0..<40).map { try rejected("{\"n\":\($0)}", second: Int64($0 / 7)) })
        // One body under other reasons too, seen later under one and earlier under the other.
        let body = "{\"n\":8}"
        try await store.quarantine([
            Refused.malformed(body, second: 1, detail: "later"), Refused.malformed(body, detail: "earlier"),
        ])
        // One that Apple signed was refused before, as something else.
        try await store.quarantine([Refused.malformed("{\"n\":22}", second: 0)])
        var seen: [QuarantinedBody] = []
        while case let page = try await store.quarantinedBodies(after: seen.last, limit: 5), !page.isEmpty {
            seen += page
            // What was handed out may go at once; what comes in meanwhile is later.
            if seen.count % 2 == 0 { try await store.removeFromQuarantine(page) }
            if seen.count < 20 { try await store.quarantine([rejected("[\(seen.count)", second: 1_000)]) }
        }
        let texts = seen.map { String(decoding: $0.first.body, as: UTF8.self) }
        #expect(Set(texts).count == texts.count)
        #expect(Set(texts).isSuperset(of: (0..<40).map { "{\"n\":\($0)}" }))
        #expect(seen.map(\.firstSeenAt) == seen.map(\.firstSeenAt).sorted())
        let firstTimes = Dictionary(uniqueKeysWithValues: zip(texts, seen.map(\.first.receivedAt)))
        for number in 0..<40 {
            let second = number == 8 || number == 22 ? 0 : Int64(number / 7)
            #expect(firstTimes["{\"n\":\(number)}"] == Refused.time(second))
        }
        let rest = try await database.value("SELECT count(*) FROM attribution.rejected_postback")
        let removed = try await store.removeFromQuarantine(seen)
        #expect(String(removed) == rest)
        #expect(try await database.quarantineUsage() == ["f 0 0", "t 0 0"])
        #expect(try await store.removeFromQuarantine(seen) == 0)
    }

    @Test("The stored size stays right if one writer adds and another one removes")
    func writers() async throws {
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
        #expect(try await database.quarantineUsage() == database.quarantineRecount())
    }
}
