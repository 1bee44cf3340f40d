import Testing

@testable import PostbackIngest

@Suite("How many items may wait in a lane")
struct CommitPaceTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    private func pace(_ batches: (count: Int, milliseconds: Int64)..., waiting: Int = 1_000) -> CommitPace {
        var pace = CommitPace(maximumBatch: 100)
        var now: Int64 = 0
        for batch in batches {
            pace.began(at: time(now))
            now += batch.milliseconds
            pace.finished(batch.count, waiting: waiting, at: time(now))
        }
        return pace
    }

    @Test("At the beginning nothing limits a lane")
    func beginning() {
        #expect(CommitPace(maximumBatch: 100).limit == .max)
    }

    @Test("As many items may wait as are committed in a second")
    func second() {
        #expect(pace((100, 500)).limit == 200)
        #expect(pace((100, 10)).limit == 10_000)
        #expect(pace((100, 500), (100, 100)).limit == 333)
    }

    @Test("A whole batch may always wait")
    func batch() {
        #expect(pace((100, 60_000)).limit == 100)
        #expect(pace((1, 60_000)).limit == 100)
    }

    @Test("A small batch that was fast tells nothing")
    func small() {
        #expect(pace((24, 99)).limit == .max)
        #expect(pace((25, 99)).limit == 252)
        #expect(pace((24, 100)).limit == 240)
    }

    @Test("With less than a batch waiting nothing is learnt, and with nothing waiting all is forgotten")
    func keepsUp() {
        #expect(pace((100, 500), waiting: 99).limit == .max)
        var slow = pace((100, 500))
        slow.began(at: time(500))
        slow.finished(100, waiting: 99, at: time(600))
        #expect(slow.limit == 200)
        slow.began(at: time(600))
        slow.finished(99, waiting: 0, at: time(700))
        #expect(slow.limit == .max)
    }

    @Test("The time in which a lane waits for its turn counts, but not the time in which nothing waits")
    func turns() {
        var pace = CommitPace(maximumBatch: 100)
        pace.began(at: time(0))
        pace.finished(100, waiting: 10, at: time(100))
        pace.began(at: time(900))
        pace.finished(100, waiting: 1_000, at: time(1_100))
        #expect(pace.limit == 100)
        pace.finished(100, waiting: 0, at: time(1_200))
        pace.began(at: time(9_000))
        pace.finished(100, waiting: 1_000, at: time(9_100))
        #expect(pace.limit == 1_000)
    }
}
