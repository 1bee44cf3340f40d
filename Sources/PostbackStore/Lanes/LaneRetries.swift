import PostgresClient

/// Decides whether a transaction of a lane runs again, and after which pause.
///
/// This is the whole policy: "Retries of a batch" in `docs/architecture.md` has it as a table, with the worst case. It has
/// no clock, input or output. Each reason has a count of its own for the whole transaction, whatever other reasons come
/// in between. So the greatest number of attempts is a sum and not a product.
struct LaneRetries: Sendable {
    /// Why a transaction of a lane did not do its work.
    ///
    /// For all reasons but the last one, it has written nothing.
    enum Reason: Sendable, CaseIterable {
        /// PostgreSQL has ended it because of another transaction (40001, 40P01).
        case collision
        /// Somebody else holds the lane, and it must not wait on its connection; or a cluster moves the lane.
        case laneHeld
        /// The lane's day of writing is not known here, or it is another one.
        case otherDay
        /// A partition of the lane's day of writing is missing.
        case missingPartition
        /// The numbers of its dimensions were read on another timeline of the database.
        case otherTimeline
        /// The worker is not the one that has the lane, or it has the lane in other tables.
        case otherNode
        /// No connection to the worker could be made.
        case lostNode
        /// The connection to the worker was lost on the way: it may be committed.
        case cutOff
    }

    /// How often a transaction runs again after PostgreSQL ended it because of another one.
    static let collisions = PostgresPool.attempts - 1
    /// How often it runs again for each reason that something was done about: a day, a partition, numbers of dimensions.
    static let remedies = 4
    /// How often it looks for its lane on another worker before it goes through the coordinator.
    static let directAttempts = 4

    private let lockTimeout: Duration
    private let window: Duration
    private var counts: [Reason: Int] = [:]
    private var collisionPauses = PostgresPool.collisionPauses
    private var heldPauses = Backoff(shortest: .milliseconds(2), longest: .milliseconds(50))
    private var heldUntil: ContinuousClock.Instant?
    private var end: ContinuousClock.Instant?

    /// Begins with a transaction that was not tried yet.
    ///
    /// - Parameters:
    ///   - lockTimeout: How long it may find its lane held, from the first time on.
    ///   - window: After the first failure, how long a failed attempt is followed by another one.
    init(lockTimeout: Duration, window: Duration) {
        self.lockTimeout = lockTimeout
        self.window = window
    }

    /// How often an attempt has failed for a reason.
    func count(_ reason: Reason) -> Int { counts[reason, default: 0] }

    /// Whether the transaction no longer looks for its lane on a worker, and goes through the coordinator.
    var goesThroughCoordinator: Bool { count(.otherNode) + count(.lostNode) >= Self.directAttempts }

    /// An attempt has failed.
    ///
    /// - Parameter jitter: A random number in 0 ..< 1.
    /// - Returns: The pause before the next attempt, in which no connection is held; nil if there is no next attempt.
    mutating func pause(
        after reason: Reason, now: ContinuousClock.Instant, jitter: Double
    ) -> Duration? {
        counts[reason, default: 0] += 1
        let end = end ?? now.advanced(by: window)
        self.end = end
        guard now < end else { return nil }
        switch reason {
        case .collision:
            return count(reason) <= Self.collisions ? collisionPauses.fail(jitter: jitter) : nil
        case .laneHeld:
            let heldUntil = heldUntil ?? now.advanced(by: lockTimeout)
            self.heldUntil = heldUntil
            return now < heldUntil ? heldPauses.fail(jitter: jitter) : nil
        case .otherDay, .missingPartition, .otherTimeline:
            return count(reason) <= Self.remedies ? .zero : nil
        case .otherNode, .lostNode:
            // It has an end: after `directAttempts` no attempt is made at a worker.
            return .zero
        case .cutOff:
            return nil
        }
    }
}

extension LaneRetries {
    /// For connections like these: the window is the time that a lock and two statements may take.
    init(over pool: PostgresPool) {
        self.init(lockTimeout: pool.lockTimeout, window: pool.lockTimeout + pool.statementTimeout * 2)
    }
}
