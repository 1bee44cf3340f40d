import TestSupport
import Testing

@testable import PostbackIngest

@Suite("The state of a commit lane")
struct CommitLaneStateTests {
    private typealias State = CommitLaneState<Int, String>

    private func restingLane(capacity: Int = 10, maximumBatch: Int = 3) -> State {
        var state = State(capacity: capacity, maximumBatch: maximumBatch)
        #expect(state.take(at: .beginning) == .rest)
        #expect(state.rest("worker") == true)
        return state
    }

    /// A lane whose item 0 is being committed.
    private func committingLane(capacity: Int = 10, maximumBatch: Int = 3) -> State {
        var state = restingLane(capacity: capacity, maximumBatch: maximumBatch)
        #expect(state.add(0) == .wakes("worker"))
        #expect(state.take(at: .beginning) == .commit([0]))
        return state
    }

    @Test("A single item wakes the worker and is committed at once")
    func single() {
        var state = restingLane()
        #expect(state.add(1) == .wakes("worker"))
        #expect(state.depth == 1)
        #expect(state.take(at: .beginning) == .commit([1]))
        #expect(state.depth == 0)
        #expect(state.finish(at: .beginning) == [])
        #expect(state.take(at: .beginning) == .rest)
    }

    @Test("A woken worker is not woken again, and takes what has arrived meanwhile too")
    func wokenOnce() {
        var state = restingLane()
        #expect(state.add(1) == .wakes("worker"))
        #expect(state.add(2) == .queued)
        #expect(state.take(at: .beginning) == .commit([1, 2]))
    }

    @Test("Items that arrive during a batch are the next batch, without a call")
    func gather() {
        var state = committingLane()
        #expect(state.add(1) == .queued)
        #expect(state.add(2) == .queued)
        #expect(state.depth == 2)
        #expect(state.finish(at: .beginning) == [])
        #expect(state.take(at: .beginning) == .commit([1, 2]))
    }

    @Test("A batch never exceeds the maximum, and items leave in the order of their arrival")
    func maximum() {
        var state = committingLane(maximumBatch: 3)
        for item in 1...7 { #expect(state.add(item) == .queued) }
        for expected in [[1, 2, 3], [4, 5, 6], [7]] {
            #expect(state.finish(at: .beginning) == [])
            #expect(state.take(at: .beginning) == .commit(expected))
        }
        #expect(state.finish(at: .beginning) == [])
        #expect(state.take(at: .beginning) == .rest)
    }

    @Test("A worker does not rest if an item arrived after it found nothing")
    func lateItem() {
        var state = State(capacity: 10, maximumBatch: 3)
        #expect(state.take(at: .beginning) == .rest)
        #expect(state.add(1) == .queued)
        #expect(state.rest("worker") == false)
        #expect(state.take(at: .beginning) == .commit([1]))
    }

    @Test("A worker does not rest if the drain began after it found nothing")
    func lateDrain() {
        var state = State(capacity: 10, maximumBatch: 3)
        #expect(state.take(at: .beginning) == .rest)
        #expect(state.drain() == nil)
        #expect(state.rest("worker") == false)
        #expect(state.take(at: .beginning) == .end)
    }

    @Test("Items that arrive before the worker begins are its first batch")
    func beforeTheWorker() {
        var state = State(capacity: 10, maximumBatch: 3)
        #expect(state.add(1) == .queued)
        #expect(state.add(2) == .queued)
        #expect(state.take(at: .beginning) == .commit([1, 2]))
    }

    @Test("A full lane refuses items; those of the batch under way do not count")
    func overflow() {
        var state = committingLane(capacity: 2)
        #expect(state.add(1) == .queued)
        #expect(state.add(2) == .queued)
        #expect(state.add(3) == .refused(.overloaded))
        #expect(state.finish(at: .beginning) == [])
        #expect(state.take(at: .beginning) == .commit([1, 2]))
        #expect(state.add(4) == .queued)
        #expect(state.finish(at: .beginning) == [])
        #expect(state.take(at: .beginning) == .commit([4]))
    }

    @Test("A draining lane refuses new items, commits the items that it has, and then ends")
    func drain() {
        var state = committingLane(capacity: 2, maximumBatch: 1)
        #expect(state.add(1) == .queued)
        #expect(state.add(2) == .queued)
        #expect(state.drain() == nil)
        #expect(state.add(3) == .refused(.draining))
        for item in [1, 2] {
            #expect(state.finish(at: .beginning) == [])
            #expect(state.take(at: .beginning) == .commit([item]))
            #expect(!state.isDrained)
        }
        #expect(state.finish(at: .beginning) == [])
        #expect(!state.isDrained)
        #expect(state.take(at: .beginning) == .end)
        #expect(state.isDrained)
        #expect(state.add(4) == .refused(.draining))
        #expect(state.drain() == nil)
    }

    @Test("The drain wakes a resting worker, once")
    func drainAtRest() {
        var state = restingLane()
        #expect(state.drain() == "worker")
        #expect(state.drain() == nil)
        #expect(state.take(at: .beginning) == .end)
    }

    @Test("Removed items are not committed, the others keep their order, and there is room again")
    func remove() {
        var state = committingLane(capacity: 7, maximumBatch: 3)
        for item in 1...7 { #expect(state.add(item) == .queued) }
        #expect(state.add(8) == .refused(.overloaded))
        #expect(state.remove { $0 > 100 } == [])
        #expect(state.remove { [1, 4, 7].contains($0) } == [1, 4, 7])
        #expect(state.depth == 4)
        for item in 9...11 { #expect(state.add(item) == .queued) }
        #expect(state.add(12) == .refused(.overloaded))
        for expected in [[2, 3, 5], [6, 9, 10], [11]] {
            #expect(state.finish(at: .beginning) == [])
            #expect(state.take(at: .beginning) == .commit(expected))
        }
    }

    @Test("If everything that waits is removed, the worker rests")
    func removeAll() {
        var state = committingLane()
        #expect(state.add(1) == .queued)
        #expect(state.remove { _ in true } == [1])
        #expect(state.finish(at: .beginning) == [])
        #expect(state.take(at: .beginning) == .rest)
        #expect(state.rest("worker") == true)
    }

    @Test("Items of the batch under way become overdue once each, and the end of the batch tells which")
    func overdue() {
        var state = committingLane(maximumBatch: 3)
        for item in 1...4 { #expect(state.add(item) == .queued) }
        #expect(state.finish(at: .beginning) == [])
        #expect(state.take(at: .beginning) == .commit([1, 2, 3]))
        #expect(state.overdue { $0 <= 0 } == [])
        // An item may be older than those in front of it.
        #expect(state.overdue { $0 == 2 } == [2])
        #expect(state.overdue { $0 <= 2 } == [1])
        #expect(state.overdue { $0 <= 2 } == [])
        // The item that waits is not part of the batch.
        #expect(state.overdue { _ in true } == [3])
        #expect(state.depth == 1)
        #expect(state.finish(at: .beginning) == [0, 1, 2])
        #expect(state.overdue { _ in true } == [])
        #expect(state.take(at: .beginning) == .commit([4]))
        #expect(state.finish(at: .beginning) == [])
    }

    @Test("An item that is left out of its batch is neither committed nor overdue")
    func leftOut() {
        var state = committingLane(maximumBatch: 3)
        for item in 1...4 { #expect(state.add(item) == .queued) }
        #expect(state.finish(at: .beginning) == [])
        let (turn, leftOut) = state.take(at: .beginning) { $0 == 2 }
        #expect(turn == .commit([1, 3]) && leftOut == [2])
        #expect(state.overdue { _ in true } == [1, 3])
        #expect(state.finish(at: .beginning) == [0, 1])
        #expect(state.take(at: .beginning) == .commit([4]))
    }

    @Test("If a whole batch is left out, the worker takes the next one")
    func leftOutBatch() {
        var state = committingLane(maximumBatch: 3)
        for item in 1...8 { #expect(state.add(item) == .queued) }
        #expect(state.finish(at: .beginning) == [])
        let (turn, leftOut) = state.take(at: .beginning) { $0 < 5 }
        #expect(turn == .commit([5, 6]) && leftOut == [1, 2, 3, 4])
        #expect(state.finish(at: .beginning) == [])
        let (rest, last) = state.take(at: .beginning) { _ in true }
        #expect(rest == .rest && last == [7, 8])
        #expect(state.depth == 0)
    }

    /// Random events against a list of what a lane took: nothing is lost, nothing comes twice, the order holds.
    @Test("Random events lose no item, repeat none and keep the order", arguments: 0..<200 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = LaneModel(
            capacity: .random(in: 1...8, using: &random), maximumBatch: .random(in: 1...5, using: &random))
        for _ in 0..<400 {
            if .random(in: 0..<3, using: &random) == 0 { model.work() } else { model.add() }
            if .random(in: 0..<600, using: &random) == 0 { model.drain() }
            if .random(in: 0..<20, using: &random) == 0 { model.remove(every: .random(in: 1...4, using: &random)) }
        }
        model.drain()
        for _ in 0..<100 { model.work() }
        #expect(model.state.isDrained)
        #expect(model.committed == model.taken)
        #expect(model.state.depth == 0)
    }

    @Test("While commits are slow a lane takes what it commits in a second, and all again when it keeps up")
    func slow() {
        var state = State(capacity: 100, maximumBatch: 4)
        for item in 0..<20 { #expect(state.add(item) == .queued) }
        #expect(state.take(at: .beginning) == .commit([0, 1, 2, 3]))
        // Four in half a second: eight in a second.
        #expect(state.finish(at: MonotonicTime(nanoseconds: 500_000_000)) == [])
        #expect(state.add(20) == .refused(.overloaded))
        for first in [4, 8, 12] {
            #expect(state.take(at: .beginning) == .commit(Array(first..<first + 4)))
            _ = state.finish(at: MonotonicTime(nanoseconds: 500_000_000 * Int64(first / 4 + 1)))
        }
        #expect(state.depth == 4)
        for item in 20..<24 { #expect(state.add(item) == .queued) }
        #expect(state.add(24) == .refused(.overloaded))
        for first in [16, 20] {
            #expect(state.take(at: .beginning) == .commit(Array(first..<first + 4)))
            _ = state.finish(at: MonotonicTime(nanoseconds: 500_000_000 * Int64(first / 4 + 1)))
        }
        for item in 0..<100 { #expect(state.add(item) == .queued) }
        #expect(state.add(100) == .refused(.overloaded))
    }
}

/// A lane beside the plainest description of what it does.
private struct LaneModel {
    private enum Worker { case awake, aboutToRest, resting, committing, ended }

    private(set) var state: CommitLaneState<Int, Int>
    /// The items that the lane took, and those that it gave out to be committed.
    private(set) var taken: [Int] = []
    private(set) var committed: [Int] = []
    private let capacity: Int
    private let maximumBatch: Int
    private var offered = 0
    private var rests = 0
    private var worker = Worker.awake
    private var isDraining = false

    private var waiting: Int { taken.count - committed.count }

    init(capacity: Int, maximumBatch: Int) {
        self.capacity = capacity
        self.maximumBatch = maximumBatch
        state = CommitLaneState(capacity: capacity, maximumBatch: maximumBatch)
    }

    mutating func add() {
        offered += 1
        let admission = state.add(offered)
        if isDraining {
            #expect(admission == .refused(.draining))
        } else if waiting == capacity {
            #expect(admission == .refused(.overloaded))
        } else {
            #expect(admission == (worker == .resting ? .wakes(rests) : .queued))
            if worker == .resting { worker = .awake }
            taken.append(offered)
        }
        #expect(state.depth == waiting)
    }

    /// Removes some of the items that wait.
    mutating func remove(every step: Int) {
        let waitingItems = taken.dropFirst(committed.count)
        let expected = waitingItems.filter { $0.isMultiple(of: step) }
        #expect(state.remove { $0.isMultiple(of: step) } == expected)
        taken = Array(taken.prefix(committed.count)) + waitingItems.filter { !$0.isMultiple(of: step) }
        #expect(state.depth == waiting)
    }

    /// The next step of the worker, if it can do one.
    mutating func work() {
        switch worker {
        case .resting:
            #expect(waiting == 0 && !isDraining)
        case .ended:
            #expect(state.isDrained)
        case .committing:
            #expect(state.finish(at: .beginning) == [])
            worker = .awake
        case .aboutToRest:
            rests += 1
            let mayRest = waiting == 0 && !isDraining
            #expect(state.rest(rests) == mayRest)
            worker = mayRest ? .resting : .awake
        case .awake:
            switch state.take(at: .beginning) {
            case .commit(let batch):
                #expect((1...maximumBatch).contains(batch.count))
                #expect(batch.count == min(waiting, maximumBatch))
                committed += batch
                #expect(taken.starts(with: committed))
                worker = .committing
            case .rest:
                #expect(waiting == 0 && !isDraining)
                worker = .aboutToRest
            case .end:
                #expect(waiting == 0 && isDraining)
                worker = .ended
            }
        }
    }

    mutating func drain() {
        #expect(state.drain() == (worker == .resting ? rests : nil))
        if worker == .resting { worker = .awake }
        isDraining = true
    }
}

extension CommitLaneState {
    /// Takes a batch of which no item is left out.
    fileprivate mutating func take(at now: MonotonicTime) -> Turn {
        take(at: now) { _ in false }.turn
    }
}

extension MonotonicTime {
    /// A time for the tests in which none passes.
    fileprivate static let beginning = MonotonicTime(nanoseconds: 0)
}
