import DequeModule

/// The state of one lane of a commit queue as a state machine: it gets events and returns actions.
///
/// It does no input or output.
///
/// A lane has one worker. The worker takes a batch, commits it, reports that it is finished and takes the next one. If
/// nothing waits, it rests until an item arrives. So there is no timer, and these rules hold:
/// - At most one batch of the lane is under way.
/// - The worker never rests while an item waits.
/// - Items leave in the order of their arrival, at most `maximumBatch` at a time.
/// - An item is committed, removed or refused, and never two of these.
///
/// `Worker` is a handle that wakes a resting worker.
struct CommitLaneState<Item, Worker> {
    /// What happened to an item that was added.
    enum Admission {
        /// The lane did not take it.
        case refused(CommitError)
        /// It waits. The worker is awake and takes it without a call.
        case queued
        /// It waits, and this worker must be woken. The worker then takes it, with everything that has arrived by then.
        case wakes(Worker)
    }

    /// What the worker does next.
    enum Turn {
        /// Commit these items: 1 to `maximumBatch`, in order of arrival.
        case commit([Item])
        /// Nothing waits: rest.
        case rest
        /// The lane is drained: nothing will wait again.
        case end
    }

    private enum Phase {
        /// The worker is awake, or has not begun yet. It takes a batch next.
        ///
        /// Can transition to: committing (`take`), resting (`rest`), ended (`take`, if the lane drains).
        case awake
        /// The worker waits until an item arrives, or the lane drains.
        ///
        /// Can transition to: awake (`add`, `drain`).
        case resting(Worker)
        /// A batch is under way. Items of it, by their places, may be answered already, because they were overdue.
        ///
        /// Can transition to: awake (`finish`), committing with more answered items (`overdue`).
        case committing([Item], answered: Set<Int>)
        /// The lane is drained, and the worker has ended.
        ///
        /// Can transition to: nothing.
        case ended
    }

    private let capacity: Int
    private let maximumBatch: Int
    /// Full batches, which wait.
    private var fullBatches = Deque<[Item]>()
    /// The items after those of the full batches: 0 ..< `maximumBatch`.
    ///
    /// They become a batch as they are, without a copy.
    private var lastItems: [Item] = []
    private var phase = Phase.awake
    private var pace: CommitPace
    private var isDraining = false

    /// Makes a lane in which at most `capacity` items wait, and fewer while commits are slow (`CommitPace`).
    ///
    /// Both numbers must be at least 1.
    init(capacity: Int, maximumBatch: Int) {
        precondition(capacity >= 1, "a lane must have room for one item")
        precondition(maximumBatch >= 1, "a batch must have room for one item")
        self.capacity = capacity
        self.maximumBatch = maximumBatch
        pace = CommitPace(maximumBatch: maximumBatch)
    }

    /// The number of items that wait, without those of the batch that is under way.
    var depth: Int { fullBatches.count * maximumBatch + lastItems.count }

    /// True if the lane refuses new items and everything that it accepted is committed.
    var isDrained: Bool {
        if case .ended = phase { true } else { false }
    }

    /// An item arrived.
    mutating func add(_ item: Item) -> Admission {
        if isDraining { return .refused(.draining) }
        if depth >= min(capacity, pace.limit) { return .refused(.overloaded) }
        append(item)
        guard let worker = wake() else { return .queued }
        return .wakes(worker)
    }

    /// The worker asks what to do; a batch that it took before must be finished.
    ///
    /// - Parameter isLeftOut: Asked once for each item of the batch: whether it is left out.
    /// - Returns: What to do, and the items that were left out, in order of arrival. They are not committed.
    mutating func take(
        at now: MonotonicTime, leavingOut isLeftOut: (Item) -> Bool
    ) -> (turn: Turn, leftOut: [Item]) {
        guard case .awake = phase else { preconditionFailure("only the lane's one worker takes, between two batches") }
        var leftOut: [Item] = []
        while var batch = nextBatch() {
            batch.removeAll { item in
                guard isLeftOut(item) else { return false }
                leftOut.append(item)
                return true
            }
            guard !batch.isEmpty else { continue }
            phase = .committing(batch, answered: [])
            pace.began(at: now)
            return (.commit(batch), leftOut)
        }
        guard isDraining else { return (.rest, leftOut) }
        phase = .ended
        return (.end, leftOut)
    }

    /// The worker wants to rest.
    ///
    /// - Returns: False if an item or the drain came in between. The worker then takes again at once.
    mutating func rest(_ worker: Worker) -> Bool {
        guard case .awake = phase else { preconditionFailure("only the lane's one worker rests, between two batches") }
        guard depth == 0, !isDraining else { return false }
        phase = .resting(worker)
        return true
    }

    /// The batch that was under way is committed, or has failed.
    ///
    /// - Returns: The places of its items that are answered already.
    mutating func finish(at now: MonotonicTime) -> Set<Int> {
        guard case .committing(let batch, let answered) = phase else {
            preconditionFailure("no batch of the lane is under way")
        }
        phase = .awake
        pace.finished(batch.count, waiting: depth, at: now)
        return answered
    }

    /// Removes items that wait.
    ///
    /// - Returns: The removed items, in order of arrival. They are not committed.
    mutating func remove(where isOver: (Item) -> Bool) -> [Item] {
        guard lastItems.contains(where: isOver) || fullBatches.contains(where: { $0.contains(where: isOver) }) else {
            return []
        }
        var removed: [Item] = []
        var kept = self
        kept.fullBatches = []
        kept.lastItems = []
        for item in fullBatches.joined() + lastItems {
            if isOver(item) { removed.append(item) } else { kept.append(item) }
        }
        self = kept
        return removed
    }

    /// Takes the items of the batch under way that are overdue, so that they are answered before it ends.
    ///
    /// Items that waited elsewhere before are older than those in front of them.
    /// - Returns: Each item once, in the order of the batch.
    mutating func overdue(where isDue: (Item) -> Bool) -> [Item] {
        guard case .committing(let batch, var answered) = phase else { return [] }
        let due = batch.indices.filter { !answered.contains($0) && isDue(batch[$0]) }
        answered.formUnion(due)
        phase = .committing(batch, answered: answered)
        return due.map { batch[$0] }
    }

    /// The lane refuses new items.
    ///
    /// - Returns: The worker, if it rests. It must be woken, so that it ends.
    mutating func drain() -> Worker? {
        isDraining = true
        return wake()
    }

    /// Removes the items that have waited longest; nil if nothing waits.
    private mutating func nextBatch() -> [Item]? {
        if let batch = fullBatches.popFirst() { return batch }
        guard !lastItems.isEmpty else { return nil }
        let batch = lastItems
        lastItems = []
        // The next batch is probably as large.
        lastItems.reserveCapacity(batch.count)
        return batch
    }

    private mutating func append(_ item: Item) {
        lastItems.append(item)
        if lastItems.count == maximumBatch {
            fullBatches.append(lastItems)
            lastItems = []
        }
    }

    private mutating func wake() -> Worker? {
        guard case .resting(let worker) = phase else { return nil }
        phase = .awake
        return worker
    }
}

extension CommitLaneState.Admission: Equatable where Worker: Equatable {}

extension CommitLaneState.Turn: Equatable where Item: Equatable {}

/// How many items a lane commits in a second, and so how many may wait in it.
///
/// It has no clock: times are parameters.
///
/// If the database is slow, a queue of fixed length holds items for longer than their deadline. They would all be
/// refused late, and every answer would be late. So no more items may wait than are committed in about `maximumWait`.
/// But a whole batch always may: its commit may take as long as that of one item. The idea is CoDel's: what counts is
/// the time in a queue, not its length.
struct CommitPace {
    /// How long an item may have to wait for the items before it.
    static let maximumWait = Duration.seconds(1)

    private let maximumBatch: Int
    /// Seconds for an item; nil if the lane keeps up.
    private var secondsPerItem: Double?
    /// The time from which the batch under way is measured.
    private var start: MonotonicTime?
    /// When the last batch was finished, if items waited then.
    private var lastFinish: MonotonicTime?

    /// Nothing is known yet.
    init(maximumBatch: Int) {
        self.maximumBatch = maximumBatch
    }

    /// The most items that may wait; `.max` if the lane keeps up.
    var limit: Int {
        guard let secondsPerItem, secondsPerItem > 0 else { return .max }
        let items = (Self.maximumWait / .seconds(1)) / secondsPerItem
        return items < Double(Int32.max) ? max(maximumBatch, Int(items)) : .max
    }

    /// A batch begins.
    mutating func began(at now: MonotonicTime) {
        // If items waited, the time until their turn came counts too.
        start = lastFinish ?? now
    }

    /// A batch is finished.
    ///
    /// - Parameters:
    ///   - count: The number of its items.
    ///   - waiting: How many items wait now. If none does, the lane keeps up.
    mutating func finished(_ count: Int, waiting: Int, at now: MonotonicTime) {
        defer { lastFinish = waiting > 0 ? now : nil }
        guard waiting > 0 else { return secondsPerItem = nil }
        guard waiting >= maximumBatch, count > 0, let start else { return }
        let seconds = now.duration(since: start) / .seconds(1)
        // A small batch tells little about a large one, unless it took long.
        guard 4 * count >= maximumBatch || seconds >= 0.1 else { return }
        let sample = seconds / Double(count)
        secondsPerItem = secondsPerItem.map { ($0 + sample) / 2 } ?? sample
    }
}
