/// The right to commit one batch.
struct CommitTurn: Hashable, Sendable {
    fileprivate let number: UInt64
}

/// Decides which lanes of a commit queue commit now.
///
/// It is a state machine without a clock, input or output.
///
/// Two small batches cost PostgreSQL nearly twice as much as one of the same items. So lanes take turns: while `atOnce`
/// batches are under way, another lane waits for the end of one and gathers more items meanwhile. A lane does not wait
/// - if many items wait in it: such a batch is worth its cost, and another core can work on it; or
/// - if the batches under way take longer than `longestWait`: they may be blocked.
///
/// `Waiter` is a handle that gives a waiting lane its turn.
struct CommitTurns<Waiter> {
    /// With this number of items a lane does not wait for another one.
    static var manyItems: Int { 64 }
    /// The longest time that a lane waits for a batch of another one.
    static var longestWait: Duration { .milliseconds(5) }

    /// A lane that waited and now has its turn.
    typealias Handover = (waiter: Waiter, turn: CommitTurn)

    /// What a lane that has items may do.
    enum Answer {
        /// Commit; call `end` with this turn when the batch is committed.
        case go(CommitTurn)
        /// Wait: the waiter will get a turn. Call `expire` at this time, if it is not nil.
        case wait(wakeAt: ContinuousClock.Instant?)
    }

    private let atOnce: Int
    private var nextNumber: UInt64 = 0
    /// The batches that others wait for, and when each began.
    private var young: [CommitTurn: ContinuousClock.Instant] = [:]
    private var waiting: [(lane: Int, waiter: Waiter)] = []
    private var isTimed = false

    /// - Parameter atOnce: The number of batches that may be under way before others wait, at least 1.
    init(atOnce: Int = 1) {
        precondition(atOnce >= 1, "one batch must be able to begin")
        self.atOnce = atOnce
    }

    /// A lane has items and wants to commit.
    mutating func ask(lane: Int, items: Int, waiter: Waiter, now: ContinuousClock.Instant) -> Answer {
        if hasRoom || items >= Self.manyItems { return .go(begin(now)) }
        waiting.append((lane, waiter))
        return .wait(wakeAt: timer())
    }

    /// A batch is committed, or has failed.
    ///
    /// - Returns: The lane that waits longest, if it need not wait any more.
    mutating func end(_ turn: CommitTurn, now: ContinuousClock.Instant) -> Handover? {
        young[turn] = nil
        return hasRoom ? handOver(at: 0, now) : nil
    }

    /// The number of items that wait in a lane has grown.
    ///
    /// - Returns: The lane, if it waits and need not wait any more.
    mutating func grow(lane: Int, items: Int, now: ContinuousClock.Instant) -> Handover? {
        guard items >= Self.manyItems, let place = waiting.firstIndex(where: { $0.lane == lane }) else { return nil }
        return handOver(at: place, now)
    }

    /// The time has come that `ask` or `expire` returned.
    ///
    /// - Returns: The lanes that need not wait any more, the longest waiting first; and when to call again, if a lane
    ///   still waits.
    mutating func expire(now: ContinuousClock.Instant) -> (handovers: [Handover], wakeAt: ContinuousClock.Instant?) {
        isTimed = false
        young = young.filter { now - $0.value < Self.longestWait }
        var handovers: [Handover] = []
        while hasRoom, let handover = handOver(at: 0, now) { handovers.append(handover) }
        return (handovers, waiting.isEmpty ? nil : timer())
    }

    private var hasRoom: Bool { young.count < atOnce }

    private mutating func begin(_ now: ContinuousClock.Instant) -> CommitTurn {
        nextNumber += 1
        let turn = CommitTurn(number: nextNumber)
        young[turn] = now
        return turn
    }

    private mutating func handOver(at place: Int, _ now: ContinuousClock.Instant) -> Handover? {
        guard waiting.indices.contains(place) else { return nil }
        return (waiting.remove(at: place).waiter, begin(now))
    }

    /// When fewer than `atOnce` of the batches under way are still waited for; nil if a timer runs already.
    private mutating func timer() -> ContinuousClock.Instant? {
        guard !isTimed, !hasRoom else { return nil }
        isTimed = true
        return young.values.sorted()[young.count - atOnce] + Self.longestWait
    }
}

extension CommitTurns.Answer: Equatable {}
