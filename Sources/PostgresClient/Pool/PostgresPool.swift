package import Logging
import Synchronization

/// Lends connections, at most `size` of them, in the order in which callers ask.
///
/// Connections are made when they are needed.
///
/// ## If the database can't be reached
/// After a failed attempt the pool pauses for 50 ms to 2 s. The pause doubles with each failure and has jitter. A
/// caller who asks during a pause gets `connectFailed` at once, unless a connection in use may become free. The first
/// caller after the pause makes the next attempt. A lost connection is dropped. A connection that the server closed
/// while it was idle is replaced, and the caller does not notice. If no answer came in time on one connection, the idle
/// ones are closed with it. If the line is dead, each of them would take as long.
///
/// ## If a session allows no writing
/// If the server refuses to write (25006), the session is closed. The next one is made after a pause as above. The
/// server may have been a standby, or set to be read-only, when the session was made.
///
/// ## The state of a session
/// A transaction that a body leaves open is rolled back. A body must leave no other state in the session: no `SET`, no
/// temporary table, no advisory lock. The next body would get it.
package final class PostgresPool: Sendable {
    typealias Waiter = CheckedContinuation<PostgresConnection, any Error>
    typealias State = PoolState<PostgresConnection, Waiter>

    private struct Guarded {
        var state: State
        var nextID: UInt64 = 0
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// The greatest number of connections.
    package let size: Int
    private let configuration: PostgresConfiguration
    private let leaseTimeout: Duration
    let logger: Logger
    let jitter: @Sendable () -> Double
    private let interruption = Mutex(Interruption())
    private let guarded: Mutex<Guarded>
    /// The attempts to connect: another caller than the one who needed it may get the connection.
    private let connects = BackgroundTasks()

    /// Makes a pool without connections.
    ///
    /// - Parameters:
    ///   - configuration: Where the database is, and how sessions behave. It is checked when the first connection is
    ///     made; `validate()` checks it earlier.
    ///   - size: The greatest number of connections, at least 1.
    ///   - leaseTimeout: How long to wait for a connection.
    ///   - jitter: A source of random numbers in 0 ..< 1, for the pauses.
    ///   - logger: Gets messages about failed and restored connections, and about transactions that run again.
    package init(
        configuration: PostgresConfiguration,
        size: Int,
        leaseTimeout: Duration = .seconds(5),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        logger: Logger
    ) {
        self.size = max(1, size)
        self.configuration = configuration
        self.leaseTimeout = leaseTimeout
        self.logger = logger
        self.jitter = jitter
        guarded = Mutex(Guarded(state: State(size: max(1, size))))
    }

    /// The number of connections in each state.
    ///
    /// Their sum is the pool's size.
    package var state: (idle: Int, busy: Int, connecting: Int, closed: Int) {
        guarded.withLock { guarded in
            let state = guarded.state
            let open = state.idle.count + state.busy + state.connecting
            return (state.idle.count, state.busy, state.connecting, state.size - open)
        }
    }

    /// The greatest time that a statement may wait for a lock.
    package var lockTimeout: Duration { configuration.lockTimeout }

    /// The greatest time that a statement may take.
    package var statementTimeout: Duration { configuration.statementTimeout }

    /// How many callers wait for a connection.
    package var waiterCount: Int { guarded.withLock { $0.state.waiterCount } }

    /// Runs a body on a connection's thread.
    ///
    /// No other body uses the connection meanwhile.
    ///
    /// Cancelling the task ends the wait for a connection, but not a body that has begun. The statement timeout limits
    /// how long each of its statements takes.
    ///
    /// - Throws: What the body throws; `connectFailed`, `leaseTimeout`, `poolClosed`; `CancellationError`.
    package func withConnection<T: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) throws -> T
    ) async throws -> T {
        let deadline = ContinuousClock.now.advanced(by: leaseTimeout)
        while true {
            let connection = try await lease(until: deadline)
            guard !Task.isCancelled else {
                await release(connection)
                throw CancellationError()
            }
            switch await connection.borrow(interruption.withLock(\.self), body) {
            case .stale:
                await release(nil)
            case .finished(let result, let fitness):
                switch fitness {
                case .reusable: await release(connection)
                case .lost: await release(nil)
                case .unanswered: await releaseUnanswered()
                case .readOnly: await releaseReadOnly()
                }
                return try result.get()
            }
        }
    }

    /// Gives up what is under way: statements, and attempts to connect.
    ///
    /// Within a tenth of a second they throw `interrupted`, and their connections are closed. A statement whose answer is
    /// coming still ends. What is begun afterwards is not concerned.
    package func interrupt() {
        interruption.withLock { interruption in
            interruption.set()
            interruption = Interruption()
        }
    }

    /// Refuses all waiters, waits until all connections are given back, and closes them.
    ///
    /// - Parameter interrupting: Whether what is under way is given up, as by `interrupt`.
    package func close(interrupting: Bool = false) async {
        let actions = guarded.withLock { $0.state.close() }
        if interrupting { interruption.withLock { $0.set() } }
        await perform(actions)
        await withCheckedContinuation { continuation in
            let isDrained = guarded.withLock { guarded in
                if !guarded.state.isDrained { guarded.closers.append(continuation) }
                return guarded.state.isDrained
            }
            if isDrained { continuation.resume() }
        }
        await connects.close(cancelling: false)
    }
}

extension PostgresPool {
    private func lease(until deadline: ContinuousClock.Instant) async throws -> PostgresConnection {
        try Task.checkCancellation()
        if let connection = guarded.withLock({ $0.state.takeIdle() }) { return connection }
        let id = guarded.withLock { guarded in
            guarded.nextID += 1
            return guarded.nextID
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await Task.sleep(until: deadline, clock: .continuous)
                self.abandon(id, PostgresError(.leaseTimeout))
            }
            defer { group.cancelAll() }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { wait(id, $0, until: deadline) }
            } onCancel: {
                abandon(id, CancellationError())
            }
        }
    }

    private func wait(_ id: UInt64, _ waiter: Waiter, until deadline: ContinuousClock.Instant) {
        let actions = guarded.withLock { guarded -> State.Actions in
            // Time and cancellation are checked under the lock, because an earlier `abandon` did not find this waiter.
            let now = ContinuousClock.now
            if Task.isCancelled { return State.Actions(refusals: [(waiter, CancellationError())]) }
            if now >= deadline { return State.Actions(refusals: [(waiter, PostgresError(.leaseTimeout))]) }
            return guarded.state.wait(id, waiter, now: now)
        }
        performWithoutWaiting(actions)
    }

    private func abandon(_ id: UInt64, _ error: any Error) {
        guarded.withLock { $0.state.abandon(id) }?.resume(throwing: error)
    }

    private func release(_ connection: PostgresConnection?) async {
        let now = ContinuousClock.now
        await perform(guarded.withLock { $0.state.release(connection, now: now) })
    }

    private func releaseUnanswered() async {
        let now = ContinuousClock.now
        await perform(guarded.withLock { $0.state.releaseUnanswered(now: now) })
    }

    private func releaseReadOnly() async {
        logger.warning("database session is read-only, closed")
        let (now, jitter) = (ContinuousClock.now, jitter())
        await perform(guarded.withLock { $0.state.releaseReadOnly(now: now, jitter: jitter) })
    }

    private func connect() async {
        do throws(PostgresError) {
            let connection = try await PostgresConnection.connect(
                configuration, logger: logger, interruption: interruption.withLock(\.self))
            let (actions, failures) = guarded.withLock { guarded in
                let failures = guarded.state.failures
                return (guarded.state.connected(connection, now: .now), failures)
            }
            if failures > 0 { logger.notice("database is back", metadata: ["failures": "\(failures)"]) }
            await perform(actions)
        } catch {
            let jitter = jitter()
            let (actions, failures) = guarded.withLock { guarded in
                let actions = guarded.state.connectFailed(error, now: .now, jitter: jitter)
                return (actions, guarded.state.failures)
            }
            if error.code != .interrupted {
                logger.warning(
                    "database connection failed",
                    metadata: ["error": "\(error)", "failures": "\(failures)"]
                )
            }
            await perform(actions)
        }
    }

    /// Performs the actions of the state machine.
    private func perform(_ actions: State.Actions) async {
        performWithoutWaiting(actions)
        for connection in actions.connectionsToClose { await connection.close() }
        notifyClosers()
    }

    /// Performs all actions but closing connections, which would have to wait.
    private func performWithoutWaiting(_ actions: State.Actions) {
        for (waiter, connection) in actions.grants { waiter.resume(returning: connection) }
        for (waiter, error) in actions.refusals { waiter.resume(throwing: error) }
        for _ in 0..<actions.connects { connects.start { await self.connect() } }
    }

    private func notifyClosers() {
        let closers = guarded.withLock { guarded -> [CheckedContinuation<Void, Never>] in
            guard guarded.state.isDrained else { return [] }
            defer { guarded.closers = [] }
            return guarded.closers
        }
        for closer in closers { closer.resume() }
    }
}
