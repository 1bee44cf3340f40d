import Testing

@testable import PostbackStore

@Suite("Retries of a lane's transaction")
struct LaneRetriesTests {
    private let start = ContinuousClock.now

    private func retries() -> LaneRetries { LaneRetries(lockTimeout: .seconds(5), window: .seconds(25)) }

    /// The pauses after failures for one reason, at the start and with the longest jitter, up to the first nil.
    private func pauses(_ reason: LaneRetries.Reason) -> [Duration] {
        var retries = retries()
        var pauses: [Duration] = []
        while pauses.count < 100, let pause = retries.pause(after: reason, now: start, jitter: 1) {
            pauses.append(pause)
        }
        return pauses
    }

    @Test("After a collision a transaction runs again at most four times, each time after a longer pause")
    func collisions() {
        #expect(pauses(.collision) == [5, 10, 20, 40].map { .milliseconds($0) })
    }

    @Test("A held lane is tried until it was held for the lock timeout, whatever else happens in between")
    func held() {
        var retries = retries()
        func after(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }
        let pauses = (0..<8).map { retries.pause(after: .laneHeld, now: after($0), jitter: 1) }
        #expect(pauses == [2, 4, 8, 16, 32, 50, 50, 50].map { .milliseconds($0) })
        #expect(retries.pause(after: .otherDay, now: after(4_000), jitter: 0) == .zero)
        #expect(retries.pause(after: .laneHeld, now: after(4_999), jitter: 0) == .milliseconds(25))
        #expect(retries.pause(after: .laneHeld, now: after(5_000), jitter: 0) == nil)
    }

    @Test(
        "If something is done about a reason, the transaction runs again at once, four times",
        arguments: [LaneRetries.Reason.otherDay, .missingPartition, .otherTimeline])
    func remedies(_ reason: LaneRetries.Reason) {
        #expect(pauses(reason) == Array(repeating: .zero, count: 4))
    }

    @Test("Each reason has a count of its own, so attempts add up and do not multiply")
    func sum() {
        var retries = retries()
        let reasons: [LaneRetries.Reason] = [.collision, .otherDay, .missingPartition, .otherTimeline]
        var attempts = 0
        for _ in 0..<4 {
            for reason in reasons {
                #expect(retries.pause(after: reason, now: start, jitter: 0) != nil)
                attempts += 1
            }
        }
        #expect(attempts == 16)
        for reason in reasons { #expect(retries.pause(after: reason, now: start, jitter: 0) == nil) }
    }

    @Test("An attempt that fails after the window is the last one")
    func window() {
        var retries = retries()
        #expect(retries.pause(after: .collision, now: start, jitter: 0) != nil)
        #expect(retries.pause(after: .otherDay, now: start + .seconds(24), jitter: 0) == .zero)
        #expect(retries.pause(after: .otherNode, now: start + .seconds(25), jitter: 0) == nil)
    }

    @Test("After four attempts at workers, a transaction goes through the coordinator")
    func coordinator() {
        var retries = retries()
        for reason in [LaneRetries.Reason.otherNode, .lostNode, .otherNode, .otherNode] {
            #expect(!retries.goesThroughCoordinator)
            #expect(retries.pause(after: reason, now: start, jitter: 0) == .zero)
        }
        #expect(retries.goesThroughCoordinator)
    }

    @Test("A transaction that may be committed does not run again")
    func cutOff() {
        #expect(pauses(.cutOff) == [])
    }
}
