import TestSupport
import Testing

@testable import PostbackIngest

@Suite("Turns of the lanes of a commit queue")
struct CommitTurnsTests {
    private let start = ContinuousClock.now
    private let many = CommitTurns<String>.manyItems

    private func later(_ duration: Duration) -> ContinuousClock.Instant { start + duration }

    /// Lets a lane that must not wait begin.
    private func begin(
        _ turns: inout CommitTurns<String>, lane: Int, items: Int = 1, at time: Duration = .zero
    ) throws -> CommitTurn {
        guard case .go(let turn) = turns.ask(lane: lane, items: items, waiter: "\(lane)", now: later(time)) else {
            throw MustNotWait()
        }
        return turn
    }

    private struct MustNotWait: Error {}

    @Test("A lane commits at once if no batch is under way")
    func first() throws {
        var turns = CommitTurns<String>()
        let turn = try begin(&turns, lane: 0)
        #expect(turns.end(turn, now: later(.milliseconds(1))) == nil)
        _ = try begin(&turns, lane: 1, at: .milliseconds(1))
    }

    @Test("A lane with few items waits for the batch under way, and gets its turn when that ends")
    func waits() throws {
        var turns = CommitTurns<String>()
        let first = try begin(&turns, lane: 0)
        let answer = turns.ask(lane: 1, items: many - 1, waiter: "1", now: start)
        #expect(answer == .wait(wakeAt: later(CommitTurns<String>.longestWait)))
        let ended = turns.end(first, now: later(.milliseconds(1)))
        let handover = try #require(ended)
        #expect(handover.waiter == "1")
        // The turn is handed over: the lane that has just ended waits for it.
        let again = turns.ask(lane: 0, items: 1, waiter: "0", now: later(.milliseconds(1)))
        #expect(again == .wait(wakeAt: nil))
        let endedAgain = turns.end(handover.turn, now: later(.milliseconds(2)))
        let next = try #require(endedAgain)
        #expect(next.waiter == "0")
        #expect(turns.end(next.turn, now: later(.milliseconds(3))) == nil)
    }

    @Test("A lane with many items does not wait")
    func manyAtOnce() throws {
        var turns = CommitTurns<String>()
        _ = try begin(&turns, lane: 0)
        _ = try begin(&turns, lane: 1, items: many)
    }

    @Test("A waiting lane continues when it has many items")
    func grows() throws {
        var turns = CommitTurns<String>()
        _ = try begin(&turns, lane: 0)
        _ = turns.ask(lane: 1, items: 1, waiter: "1", now: start)
        _ = turns.ask(lane: 2, items: 1, waiter: "2", now: start)
        let result1 = turns.grow(lane: 2, items: many - 1, now: start)
        #expect(result1 == nil)
        let result2 = turns.grow(lane: 2, items: many, now: start)
        #expect(result2?.waiter == "2")
        let result3 = turns.grow(lane: 2, items: many + 1, now: start)
        #expect(result3 == nil)
        let result4 = turns.grow(lane: 0, items: many, now: start)
        #expect(result4 == nil)
    }

    @Test("No lane waits for a batch that takes too long, not even lanes that come later")
    func heldUp() throws {
        var turns = CommitTurns<String>()
        let held = try begin(&turns, lane: 0)
        _ = turns.ask(lane: 1, items: 1, waiter: "1", now: start)
        let tooEarly = turns.expire(now: later(CommitTurns<String>.longestWait - .nanoseconds(1)))
        #expect(tooEarly.handovers.isEmpty)
        #expect(tooEarly.wakeAt == later(CommitTurns<String>.longestWait))
        let expired = turns.expire(now: later(CommitTurns<String>.longestWait))
        #expect(expired.handovers.map(\.waiter) == ["1"])
        #expect(expired.wakeAt == nil)
        let second = try #require(expired.handovers.first?.turn)
        #expect(turns.end(second, now: later(.seconds(1))) == nil)
        _ = try begin(&turns, lane: 2, at: .seconds(2))
        #expect(turns.end(held, now: later(.seconds(3))) == nil)
    }

    @Test("If two batches may be under way at once, the third lane waits for the end of one of them")
    func twoAtOnce() throws {
        var turns = CommitTurns<String>(atOnce: 2)
        let first = try begin(&turns, lane: 0)
        _ = try begin(&turns, lane: 1, at: .milliseconds(1))
        // The first of the two is not waited for any more then.
        let answer = turns.ask(lane: 2, items: 1, waiter: "2", now: later(.milliseconds(2)))
        #expect(answer == .wait(wakeAt: later(CommitTurns<String>.longestWait)))
        #expect(turns.ask(lane: 3, items: 1, waiter: "3", now: later(.milliseconds(2))) == .wait(wakeAt: nil))
        #expect(turns.ask(lane: 4, items: 1, waiter: "4", now: later(.milliseconds(2))) == .wait(wakeAt: nil))
        let ended = turns.end(first, now: later(.milliseconds(3)))
        #expect(ended?.waiter == "2")
        let expired = turns.expire(now: later(.seconds(1)))
        #expect(expired.handovers.map(\.waiter) == ["3", "4"])
        #expect(expired.wakeAt == nil)
    }

    @Test("In any order of events no lane waits for ever, each waiter gets one turn, and a timer runs while one waits")
    func random() throws {
        for seed in UInt64(1)...200 {
            var random = SeededGenerator(seed: seed)
            var turns = CommitTurns<Int>(atOnce: Int(seed % 3) + 1)
            var now = start
            var running: [CommitTurn] = []
            var waiting: Set<Int> = []
            var timers = 0
            var nextWaiter = 0
            func take(_ handover: CommitTurns<Int>.Handover?) {
                guard let handover else { return }
                #expect(waiting.remove(handover.waiter) != nil)
                running.append(handover.turn)
            }
            for _ in 0..<300 {
                now += .microseconds(Int.random(in: 0...3_000, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    nextWaiter += 1
                    let items = Int.random(in: 1...100, using: &random)
                    switch turns.ask(lane: nextWaiter, items: items, waiter: nextWaiter, now: now) {
                    case .go(let turn): running.append(turn)
                    case .wait(let wakeAt):
                        waiting.insert(nextWaiter)
                        if wakeAt != nil { timers += 1 }
                    }
                case 1 where !running.isEmpty:
                    take(turns.end(running.remove(at: Int.random(in: 0..<running.count, using: &random)), now: now))
                case 2 where timers > 0:
                    now += CommitTurns<Int>.longestWait
                    timers -= 1
                    let (handovers, wakeAt) = turns.expire(now: now)
                    for handover in handovers { take(handover) }
                    if wakeAt != nil { timers += 1 }
                default:
                    if let lane = waiting.randomElement(using: &random) {
                        take(turns.grow(lane: lane, items: CommitTurns<Int>.manyItems, now: now))
                    }
                }
                #expect(waiting.isEmpty || timers == 1)
            }
            while !waiting.isEmpty {
                now += CommitTurns<Int>.longestWait
                let handovers = turns.expire(now: now).handovers
                #expect(!handovers.isEmpty)
                for handover in handovers { take(handover) }
            }
        }
    }
}
