import Access
import PostgresClient
import Testing

@testable import AuditTrail

@Suite("Sums of the trail")
struct TrailSumsTests {
    private func time(_ seconds: Int64) -> PostgresTimestamp {
        PostgresTimestamp(microsecondsSince2000: seconds * 1_000_000)
    }

    @Test("What happens often is one entry of a minute and an address, with the first and the last time")
    func minute() {
        var sums = TrailSums()
        for second: Int64 in [10, 30, 69] {
            sums.add(.refusal, .unknown(from: "192.0.2.1"), [("bearer", 1)], at: time(second))
        }
        sums.add(.refusal, .unknown(from: "192.0.2.1"), [("form", 2)], at: time(40))
        sums.add(.refusal, .unknown(from: "192.0.2.2"), [("bearer", 1)], at: time(60))
        #expect(sums.take(at: time(69)).isEmpty)
        let entries = sums.take(at: time(70))
        #expect(entries.map(\.actor.origin) == ["192.0.2.1"])
        #expect(entries.map(\.since) == [time(10)] && entries.map(\.happenedAt) == [time(69)])
        #expect(entries.first?.counts.map(\.name) == ["bearer", "form"])
        #expect(entries.first?.counts.map(\.count) == [3, 2])
        #expect(sums.take(at: time(71)).isEmpty)
        #expect(sums.take(at: nil).map(\.actor.origin) == ["192.0.2.2"])
    }

    @Test("Signing is summed for ten minutes")
    func signing() {
        var sums = TrailSums()
        sums.add(.signing, TrailActor(.admin, from: "unix"), [("impressions", 5)], at: time(0))
        #expect(sums.take(at: time(599)).isEmpty)
        #expect(sums.take(at: time(600)).count == 1)
    }

    @Test("A flood from a million addresses makes 101 entries, and none of another action is lost in it")
    func flood() {
        var sums = TrailSums()
        sums.add(.signing, TrailActor(.admin, from: "unix"), [("impressions", 1)], at: time(0))
        for number in 0..<1_000_000 {
            sums.add(.refusal, .unknown(from: "address \(number)"), [("bearer", 1)], at: time(1))
        }
        let entries = sums.take(at: nil)
        #expect(entries.count { $0.action == .refusal } == TrailSums.greatestCount + 1)
        let total = entries.filter { $0.action == .refusal }.flatMap(\.counts).reduce(0) { $0 + $1.count }
        #expect(total == 1_000_000)
        #expect(entries.contains { $0.actor.origin == TrailSums.others })
        #expect(entries.contains { $0.action == .signing && $0.actor.origin == "unix" })
    }

    @Test("Sums that could not be written are added to later ones")
    func givenBack() {
        var sums = TrailSums()
        let actor = TrailActor.unknown(from: "192.0.2.1")
        sums.add(.refusal, actor, [("form", 1)], at: time(0))
        let failed = sums.take(at: time(60))
        sums.add(.refusal, actor, [("form", 4)], at: time(61))
        sums.giveBack(failed)
        let entries = sums.take(at: time(61))
        #expect(entries.count == 1 && entries[0].since == time(0) && entries[0].happenedAt == time(61))
        #expect(entries.first?.counts.map(\.count) == [5])
    }
}
