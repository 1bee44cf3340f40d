import Synchronization

/// Gathers what arrives while a commit is under way into the next one, and gives each item its own result.
///
/// There is no timer: a batch is taken as soon as nobody writes, so a single item waits for nothing, and under load
/// batches grow by themselves up to `maximumBatch`. A second writer begins only when much waits, since two small batches
/// cost nearly twice as much as one, or when the first is held up. The queue is bounded; what does not fit is refused at once.
final class GroupCommitQueue<Item: Sendable, Output: Sendable>: Sendable {
    /// Why an item was not taken.
    enum Refusal: Error, Sendable {
        /// The queue is full.
        case overloaded
        /// The service is stopping.
        case draining
    }

    private typealias Entry = (item: Item, continuation: CheckedContinuation<Output, any Error>)

    private struct State {
        var pending: [Entry] = []
        var idleWriters: [CheckedContinuation<Void, Never>] = []
        var writing = 0
        /// When the last batch was begun.
        var begun = ContinuousClock.now
        var isDraining = false
    }

    /// So many waiting items are worth a batch beside the one that is being written.
    private static var worthAnotherWriter: Int { 24 }
    /// A batch that takes longer is held up, and what waits must not wait for it.
    private static var patience: Duration { .milliseconds(50) }

    private let state = Mutex(State())
    private let capacity: Int
    private let maximumBatch: Int
    private let commit: @Sendable ([Item]) async -> [Result<Output, any Error>]

    /// A queue of at most `capacity` waiting items; `commit` gets 1 to `maximumBatch` of them, in order of arrival,
    /// and returns one result for each.
    init(
        capacity: Int, maximumBatch: Int,
        commit: @escaping @Sendable ([Item]) async -> [Result<Output, any Error>]
    ) {
        self.capacity = capacity
        self.maximumBatch = maximumBatch
        self.commit = commit
    }

    /// How many items wait for a writer.
    var depth: Int { state.withLock { $0.pending.count } }

    /// Hands an item in and waits for its result; once taken, it is committed even if the caller goes away.
    ///
    /// - Throws: `Refusal`, or what `commit` gave for this item.
    func submit(_ item: Item) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            let (refusal, writer) = state.withLock { state -> (Refusal?, CheckedContinuation<Void, Never>?) in
                if state.isDraining { return (.draining, nil) }
                if state.pending.count >= capacity { return (.overloaded, nil) }
                state.pending.append((item, continuation))
                return (nil, isDue(state) ? state.idleWriters.popLast() : nil)
            }
            if let refusal { continuation.resume(throwing: refusal) }
            writer?.resume()
        }
    }

    /// Runs `writers` commits at a time, until `drain` was called and everything taken is committed.
    func run(writers: Int) async {
        await withTaskGroup { group in
            for _ in 0..<writers {
                group.addTask { await self.write() }
            }
        }
    }

    /// Takes nothing more; `run` returns when what was taken is committed.
    func drain() {
        let writers = state.withLock { state in
            state.isDraining = true
            defer { state.idleWriters = [] }
            return state.idleWriters
        }
        for writer in writers { writer.resume() }
    }

    private func write() async {
        while let batch = await nextBatch() {
            let results = await commit(batch.map(\.item))
            for (entry, result) in zip(batch, results) { entry.continuation.resume(with: result) }
            for entry in batch.dropFirst(results.count) { entry.continuation.resume(throwing: MissingResult()) }
            state.withLock { $0.writing -= 1 }
        }
    }

    /// Whether what waits is to be written now.
    private func isDue(_ state: State) -> Bool {
        guard !state.pending.isEmpty else { return false }
        return state.writing == 0 || state.pending.count >= Self.worthAnotherWriter || state.isDraining
            || ContinuousClock.now - state.begun > Self.patience
    }

    /// A commit that returned fewer results than it got items.
    private struct MissingResult: Error {}

    /// Everything that waits, up to `maximumBatch`; nil when the queue is drained.
    private func nextBatch() async -> [Entry]? {
        while true {
            let (batch, isDone) = state.withLock { state -> ([Entry], Bool) in
                guard isDue(state) else { return ([], state.isDraining && state.pending.isEmpty) }
                let batch = Array(state.pending.prefix(maximumBatch))
                state.pending.removeFirst(batch.count)
                state.writing += 1
                state.begun = .now
                return (batch, state.isDraining)
            }
            if !batch.isEmpty { return batch }
            if isDone { return nil }
            await withCheckedContinuation { continuation in
                let isNeeded = state.withLock { state in
                    if isDue(state) || state.isDraining { return true }
                    state.idleWriters.append(continuation)
                    return false
                }
                if isNeeded { continuation.resume() }
            }
        }
    }
}
