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
///
/// `Worker` is a handle that wakes a resting worker.
struct CommitLaneState<Item, Worker> {
    /// What happened to an item that was added.
    enum Admission {
        /// The lane did not take it.
        case refused(CommitRefusal)
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
        case awake
        case resting(Worker)
        case committing
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
    private var isDraining = false

    /// Makes a lane in which at most `capacity` items wait.
    ///
    /// Both numbers must be at least 1.
    init(capacity: Int, maximumBatch: Int) {
        precondition(capacity >= 1, "a lane must have room for one item")
        precondition(maximumBatch >= 1, "a batch must have room for one item")
        self.capacity = capacity
        self.maximumBatch = maximumBatch
    }

    /// The number of items that wait, without those of the batch that is under way.
    var depth: Int { fullBatches.count * maximumBatch + lastItems.count }

    /// True if the lane takes nothing more and everything that it took is committed.
    var isDrained: Bool {
        if case .ended = phase { true } else { false }
    }

    /// An item arrived.
    mutating func add(_ item: Item) -> Admission {
        if isDraining { return .refused(.draining) }
        if depth >= capacity { return .refused(.overloaded) }
        lastItems.append(item)
        if lastItems.count == maximumBatch {
            fullBatches.append(lastItems)
            lastItems = []
        }
        guard let worker = wake() else { return .queued }
        return .wakes(worker)
    }

    /// The worker asks what to do; a batch that it took before must be finished.
    mutating func take() -> Turn {
        guard case .awake = phase else { preconditionFailure("only the lane's one worker takes, between two batches") }
        if let batch = nextBatch() {
            phase = .committing
            return .commit(batch)
        }
        guard isDraining else { return .rest }
        phase = .ended
        return .end
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
    mutating func finish() {
        guard case .committing = phase else { preconditionFailure("no batch of the lane is under way") }
        phase = .awake
    }

    /// The lane takes nothing more.
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

    private mutating func wake() -> Worker? {
        guard case .resting(let worker) = phase else { return nil }
        phase = .awake
        return worker
    }
}

extension CommitLaneState.Admission: Equatable where Worker: Equatable {}

extension CommitLaneState.Turn: Equatable where Item: Equatable {}
