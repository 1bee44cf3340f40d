import AdAttribution
import Testing

@testable import PostbackStore

@Suite("The cache of dimensions")
struct DimensionCacheTests {
    private let first = Timeline(text: "00000001")
    private let second = Timeline(text: "00000002")

    private func line(_ campaign: Int64) throws -> LineKey {
        LineKey(
            network: NetworkKey(
                environment: .test, attributionProtocol: .skAdNetwork, adNetworkID: "example123.skadnetwork"),
            isDeveloperCopy: false, campaign: .campaignID(try #require(CampaignID(campaign))),
            advertisedAppID: try #require(AppID(525_463_029)))
    }

    /// Lines with the numbers of their campaigns.
    private func numbers(_ campaigns: ClosedRange<Int64>) throws -> DimensionNumbers {
        var numbers = DimensionNumbers()
        for campaign in campaigns {
            numbers.lines[try line(campaign)] = .init(network: 1, line: Int32(campaign))
        }
        return numbers
    }

    private func known(_ cache: DimensionCache) throws -> [Int32] {
        let keys = DimensionRows(lines: Set(try (1...9).map { try line($0) }))
        return cache.known(of: keys).lines.values.map(\.line).sorted()
    }

    @Test("What was read at once comes beside what batches have read on the same timeline meanwhile")
    func refill() throws {
        let cache = DimensionCache()
        cache.begin(first)
        cache.add(try numbers(1...2), on: first)
        #expect(!cache.takeRefill())
        cache.begin(second)
        #expect(try known(cache) == [])
        #expect(cache.takeRefill())
        cache.add(try numbers(3...4), on: second)
        cache.refill(try numbers(5...7), on: second)
        #expect(try known(cache) == [3, 4, 5, 6, 7])
        #expect(!cache.takeRefill())
    }

    @Test("What was read at once begins the first timeline, and no other one")
    func stale() throws {
        let cache = DimensionCache()
        cache.refill(try numbers(1...2), on: first)
        #expect(cache.timeline == first)
        #expect(try known(cache) == [1, 2])
        cache.begin(second)
        cache.add(try numbers(3...3), on: second)
        cache.refill(try numbers(1...2), on: first)
        #expect(cache.timeline == second)
        #expect(try known(cache) == [3])
    }

    @Test("What was read on another timeline is not added")
    func otherTimeline() throws {
        let cache = DimensionCache()
        cache.begin(first)
        cache.begin(second)
        cache.add(try numbers(1...2), on: first)
        #expect(try known(cache) == [])
    }
}
