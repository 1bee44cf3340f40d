import AdAttribution
import Foundation
import PostgresClient
import TestSupport
import Testing

@testable import CampaignData
@testable import PostbackStore

@Suite("Web ads in the store", .enabled(if: TestEnvironment.hasDatabase, TestEnvironment.reason), .database)
struct WebAdStoreTests {
    private let database = TestDatabase.current
    private let store = PostbackStore.current
    private let now = PostgresTimestamp(millisecondsSince1970: 1_790_000_000_000)

    private func later(_ seconds: Int64) -> PostgresTimestamp {
        PostgresTimestamp(microsecondsSince2000: now.microsecondsSince2000 + seconds * 1_000_000)
    }

    private func webAd(identifier: Int64 = 5_239, expiresIn seconds: Int64 = 60) throws -> WebAd {
        WebAd(
            nonce: Nonce(UUID()), adNetworkID: try #require(AdNetworkID("example123.skadnetwork")),
            sourceIdentifier: try #require(SourceIdentifier(identifier)),
            itunesItemID: try #require(AppID(10_738_027_756)), destinationHost: "ads.example.com", createdAt: now,
            expiresAt: later(seconds))
    }

    @Test("Web ads are read as they were stored, until they expire", arguments: [Int64(0), 7, 9_999])
    func stored(_ identifier: Int64) async throws {
        let webAd = try webAd(identifier: identifier)
        try await store.add(webAd)
        #expect(try await store.webAd(webAd.nonce, at: now) == webAd)
        #expect(try await store.webAd(webAd.nonce, at: later(59)) == webAd)
        #expect(try await store.webAd(webAd.nonce, at: later(60)) == nil)
        #expect(try await store.webAd(Nonce(UUID()), at: now) == nil)
        #expect(try await !store.claimWebAd(webAd.nonce, at: later(60)))
        #expect(try await !store.claimWebAd(Nonce(UUID()), at: now))
        await #expect(throws: PostgresError.self) { try await store.add(webAd) }
    }

    @Test("If sixteen callers claim one nonce at once, one gets it, and then nobody")
    func claimed() async throws {
        let webAd = try webAd()
        try await store.add(webAd)
        let claims = try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { try await store.claimWebAd(webAd.nonce, at: now) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(claims.count { $0 } == 1)
        #expect(try await store.webAd(webAd.nonce, at: now) == nil)
    }

    @Test("Expired web ads are removed, in as many steps as needed, and nothing else is")
    func expiry() async throws {
        try await database.run(
            """
            INSERT INTO attribution.web_ad
            SELECT gen_random_uuid(), 'a', 1, 2, 'example.com', '2026-01-01', '2026-01-02'
              FROM generate_series(1, 2500)
            """)
        let kept = try webAd()
        try await store.add(kept)
        #expect(try await store.removeExpiredWebAds(at: now) == 2_500)
        #expect(try await store.removeExpiredWebAds(at: now) == 0)
        #expect(try await store.webAd(kept.nonce, at: now) == kept)
    }

    @Test("A row with a wrong value from another program is an error, not a crash")
    func wrongRow() async throws {
        let webAd = try webAd()
        try await store.add(webAd)
        try await database.run("UPDATE attribution.web_ad SET ad_network_id = 'not a network'")
        await #expect(throws: StoredValueError.self) { _ = try await store.webAd(webAd.nonce, at: now) }
    }
}
