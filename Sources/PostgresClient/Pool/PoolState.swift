import DequeModule

/// The state of a pool as a state machine: it gets events and returns actions.
///
/// It does no input or output.
///
/// Invariants: nobody waits while a connection is idle; `idle + busy + connecting ≤ size`; waiters are served in the
/// order in which they came.
struct PoolState<Connection: Sendable, Waiter: Sendable>: Sendable {
    /// What the pool must do after an event, outside the lock.
    struct Actions: Sendable {
        var grants: [(waiter: Waiter, connection: Connection)] = []
        var refusals: [(waiter: Waiter, error: any Error)] = []
        var connectionsToClose: [Connection] = []
        /// How many connections to start.
        var connects = 0
    }

    let size: Int
    private(set) var idle: [Connection] = []
    private(set) var busy = 0
    private(set) var connecting = 0
    private(set) var isClosed = false
    private var waiting = Deque<(id: UInt64, waiter: Waiter)>()
    private var backoff = Backoff(shortest: .milliseconds(50), longest: .seconds(2))
    /// The pauses after sessions that allow no writing.
    private var readOnlyBackoff = Backoff(shortest: .milliseconds(50), longest: .seconds(2))
    /// The last failed attempt, or session that allows no writing.
    ///
    /// No attempt is made before `retryAt`.
    private var failure: (error: PostgresError, retryAt: ContinuousClock.Instant)?

    init(size: Int) {
        self.size = size
    }

    /// The number of waiters.
    var waiterCount: Int { waiting.count }

    /// True if the pool is closed and all its connections are closed.
    var isDrained: Bool { isClosed && busy == 0 && connecting == 0 }

    /// The number of failed attempts since the last success.
    var failures: Int { backoff.failures }

    /// Lends an idle connection if there is one: the one used last, because it is the least likely to be closed.
    mutating func takeIdle() -> Connection? {
        guard let connection = idle.popLast() else { return nil }
        busy += 1
        return connection
    }

    /// A caller asks for a connection, and waits unless there is an idle one.
    mutating func wait(_ id: UInt64, _ waiter: Waiter, now: ContinuousClock.Instant) -> Actions {
        var actions = Actions()
        guard !isClosed else {
            actions.refusals = [(waiter, PostgresError(.poolClosed))]
            return actions
        }
        if let connection = takeIdle() {
            actions.grants = [(waiter, connection)]
            return actions
        }
        waiting.append((id, waiter))
        advance(now, &actions)
        return actions
    }

    /// A waiter gives up; nil if it was served before.
    mutating func abandon(_ id: UInt64) -> Waiter? {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        return waiting.remove(at: index).waiter
    }

    /// A lease ended.
    ///
    /// - Parameter connection: The connection if it can be lent again, nil if it is closed.
    mutating func release(_ connection: Connection?, now: ContinuousClock.Instant) -> Actions {
        busy -= 1
        if connection != nil { readOnlyBackoff.succeed() }
        return add(connection, now)
    }

    /// A lease ended, and its connection was closed because no answer came in time.
    ///
    /// The idle connections may be as dead, and nobody would know before as much time has passed.
    mutating func releaseUnanswered(now: ContinuousClock.Instant) -> Actions {
        busy -= 1
        let suspects = idle
        idle = []
        var actions = add(nil, now)
        actions.connectionsToClose += suspects
        return actions
    }

    /// A lease ended, and its connection was closed because its session allows no writing.
    ///
    /// A new session may be the same, so the next attempt is made after a pause, as after a failed one.
    ///
    /// - Parameter jitter: A random number in 0 ..< 1.
    mutating func releaseReadOnly(now: ContinuousClock.Instant, jitter: Double) -> Actions {
        busy -= 1
        let error = PostgresError(.connectFailed, sqlState: .readOnlyTransaction, reason: "session is read-only")
        failure = (error, now.advanced(by: readOnlyBackoff.fail(jitter: jitter)))
        return add(nil, now)
    }

    /// An attempt to connect succeeded.
    mutating func connected(_ connection: Connection, now: ContinuousClock.Instant) -> Actions {
        connecting -= 1
        backoff.succeed()
        failure = nil
        return add(connection, now)
    }

    /// An attempt to connect failed.
    ///
    /// - Parameter jitter: A random number in 0 ..< 1.
    mutating func connectFailed(_ error: PostgresError, now: ContinuousClock.Instant, jitter: Double) -> Actions {
        connecting -= 1
        failure = (error, now.advanced(by: backoff.fail(jitter: jitter)))
        return add(nil, now)
    }

    /// The pool closes.
    ///
    /// Waiters are refused; callers that have a connection may finish.
    mutating func close() -> Actions {
        isClosed = true
        var actions = Actions()
        actions.refusals = waiting.map { ($0.waiter, PostgresError(.poolClosed)) }
        actions.connectionsToClose = idle
        waiting = []
        idle = []
        return actions
    }
}

extension PoolState {
    /// A connection became free, or was closed, so that another one may be made.
    private mutating func add(_ connection: Connection?, _ now: ContinuousClock.Instant) -> Actions {
        var actions = Actions()
        if let connection {
            if isClosed {
                actions.connectionsToClose = [connection]
            } else if waiting.isEmpty {
                idle.append(connection)
            } else {
                busy += 1
                actions.grants = [(waiting.removeFirst().waiter, connection)]
            }
        }
        advance(now, &actions)
        return actions
    }

    /// Starts the connections that waiters need, or refuses the waiters if nothing can become free.
    private mutating func advance(_ now: ContinuousClock.Instant, _ actions: inout Actions) {
        let free = size - idle.count - busy - connecting
        let wanted = min(free, waiting.count - connecting)
        guard let failure else {
            guard wanted > 0 else { return }
            connecting += wanted
            actions.connects = wanted
            return
        }
        // After a failure one attempt at a time is made, and none before `retryAt`.
        if now >= failure.retryAt, connecting == 0, wanted > 0 {
            connecting += 1
            actions.connects = 1
        } else if connecting == 0, busy == 0 {
            // No connection can become free, so waiting would be useless.
            actions.refusals += waiting.map { ($0.waiter, failure.error) }
            waiting = []
        }
    }
}

/// Pauses that double, with jitter, so that many clients do not try again at the same moment.
package struct Backoff: Sendable {
    let shortest: Duration
    let longest: Duration
    /// The number of failures since the last success.
    package private(set) var failures = 0

    /// Starts at the shortest pause.
    package init(shortest: Duration, longest: Duration) {
        self.shortest = shortest
        self.longest = longest
    }

    /// Counts a failure.
    ///
    /// - Parameter jitter: A random number in 0 ..< 1.
    /// - Returns: The pause: between half of the doubled pause and all of it, at least `shortest` and at most
    ///   `longest`.
    package mutating func fail(jitter: Double) -> Duration {
        // More doublings would overflow, and the pause is the longest one long before.
        let whole = min(longest, shortest * (1 << min(failures, 20)))
        failures += 1
        return max(shortest, whole * (0.5 + 0.5 * jitter))
    }

    /// Starts again at the shortest pause.
    mutating func succeed() {
        failures = 0
    }
}
