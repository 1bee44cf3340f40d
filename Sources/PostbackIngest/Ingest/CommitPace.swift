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
