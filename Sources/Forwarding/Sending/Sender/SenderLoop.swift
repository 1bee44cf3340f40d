import Destinations
import EventLog
import Logging
import Metrics
import Observability

/// Hands what happened to the state machine of a sender, and begins what it says.
struct SenderLoop {
    typealias Group = TaskGroup<DestinationSender.Occurrence>

    /// Why the sender ends; nil while it goes on.
    var end: DestinationSender.End?

    private let sender: DestinationSender
    private var state: SenderState
    private var generator = SystemRandomNumberGenerator()
    private var isRenewing = false
    private var nextRenewal: ContinuousClock.Instant
    /// Nil while the readers are looked up: an answer that is overtaken would begin a replay again.
    private var nextReplayCheck: ContinuousClock.Instant?
    private var shownProblem: String?
    private var isOffTold = false
    /// Dead letters that no line of the log tells of, and when one did.
    private var untoldDead = 0
    private var deadTold: ContinuousClock.Instant?
    private var begun: [Int: ContinuousClock.Instant] = [:]

    /// Begins the first tasks.
    init(_ sender: DestinationSender, cursors: ForwardingCursors, in group: inout Group) {
        self.sender = sender
        let now = ContinuousClock.now
        nextRenewal = sender.leaseSent + DestinationSender.renewal
        nextReplayCheck = now + DestinationSender.replayCheck
        state = SenderState(
            destination: sender.stored.destination, cursors: cursors, failures: sender.stored.failures,
            failingTime: sender.stored.failingTime, leaseSent: sender.leaseSent, at: now)
        addTick(to: &group)
        beginNext(at: now, in: &group)
    }

    /// Takes what a task came back with, and begins what comes next.
    mutating func handle(_ occurrence: DestinationSender.Occurrence, in group: inout Group) {
        let now = ContinuousClock.now
        switch occurrence {
        case .tick:
            if sender.control.isStopping { state.stop(at: now) }
            addTick(to: &group)
        case .read(let feed, .success(let page)): state.read(page, of: feed, at: now)
        case .read(_, .failure(let error as LogError)):
            // Days were dropped that were not read, or the database is an older copy. Whoever takes the lease next sees
            // whether the reader is still there.
            end = .failed(error)
        case .read(let feed, .failure(let error)):
            state.reading[feed]?.failed(at: now)
            warn("the log was not read", error)
        case .seen(let result):
            nextReplayCheck = now + DestinationSender.replayCheck
            switch result {
            case .success(let cursors): state.seen(cursors, at: now)
            case .failure(let error): warn("the readers of a destination were not read", error)
            }
        case .due(.success(let rows)): state.retries.read(rows, at: now)
        case .due(.failure(let error)):
            state.retries.read(nil, at: now)
            warn("deliveries that are due were not read", error)
        case .ended(let number, let outcome, let time): ended(number, outcome, at: time)
        case .committed(let settlement, .success): state.committed(settlement, at: now)
        case .committed(_, .failure(let error)): end = error is LeaseLost ? .leaseLost : .failed(error)
        case .renewed(let sent, .success(true)):
            isRenewing = false
            state.renewed(sent: sent)
        case .renewed(_, .success(false)): end = .leaseLost
        case .renewed(_, .failure(let error)):
            isRenewing = false
            nextRenewal = now + .seconds(1)
            warn("the lease was not renewed", error)
        }
        guard end == nil else { return }
        beginNext(at: now, in: &group)
        if state.isOver(at: now) { end = .stopped }
    }

    private mutating func beginNext(at now: ContinuousClock.Instant, in group: inout Group) {
        let sender = self.sender
        while sender.pace.take(at: now) {
            guard let begun = state.begin(at: now) else {
                sender.pace.putBack()
                break
            }
            self.begun[begun.number] = now
            group.addTask {
                .ended(number: begun.number, await sender.sending.outcome(of: begun), .now)
            }
        }
        for feed in SenderState.Feed.allCases {
            guard let reading = state.beginReading(feed, at: now) else { continue }
            group.addTask { .read(feed, await result { try await sender.page(of: reading) }) }
        }
        if state.stopped == nil, state.retries.beginsReading(at: now) {
            group.addTask {
                .due(
                    await result {
                        try await sender.store.dueDeliveries(sender.lease, limit: RetryQueue.pageSize)
                    })
            }
        }
        if state.stopped == nil, state.windows[.replay] == nil, let check = nextReplayCheck, now >= check {
            nextReplayCheck = nil
            group.addTask { .seen(await result { try await sender.store.cursors(sender.lease) }) }
        }
        if let settlement = state.beginCommit(at: now) {
            group.addTask { .committed(settlement, await result { try await sender.commit(settlement) }) }
        }
        if !isRenewing, now >= nextRenewal {
            isRenewing = true
            nextRenewal = now + DestinationSender.renewal
            group.addTask { .renewed(sent: now, await result { try await sender.store.renew(sender.lease) }) }
        }
        showProblem()
    }

    private func addTick(to group: inout Group) {
        let tick =
            state.isSpreading || sender.pace.perSecond != nil ? DestinationSender.shortTick : DestinationSender.tick
        group.addTask {
            try? await Task.sleep(for: tick)
            return .tick
        }
    }

    private mutating func ended(_ number: Int, _ outcome: AttemptOutcome, at time: ContinuousClock.Instant) {
        let wasOpen = state.breaker.isOpen
        let ending = state.ended(
            number, outcome, at: time, wallClock: sender.clock.milliseconds(), using: &generator)
        let begin = begun.removeValue(forKey: number)
        guard let ending else { return }
        if let begin { sender.metrics.attempt.recordNanoseconds(Int64((time - begin) / .nanoseconds(1))) }
        switch ending.result {
        case .delivered: sender.metrics.delivered.increment()
        case .waiting: sender.metrics.failed.increment()
        case .dead(let failure):
            if case .failed = outcome { sender.metrics.failed.increment() }
            sender.metrics.dead.increment()
            tellDead(ending.delivery.eventID, failure.reason, at: time)
        case .handedOver: break
        }
        tellBreaker(wasOpen: wasOpen, outcome)
        if let reason = state.offReason, !isOffTold {
            isOffTold = true
            sender.logger.error("a destination is switched off", metadata: ["reason": "\(reason)"])
        }
    }

    /// Tells of a dead letter, at most once a minute: all of a day may become one.
    private mutating func tellDead(_ event: String, _ reason: String, at now: ContinuousClock.Instant) {
        untoldDead += 1
        guard deadTold.map({ now - $0 >= .seconds(60) }) ?? true else { return }
        sender.logger.warning(
            "deliveries are dead letters",
            metadata: ["count": "\(untoldDead)", "last": "\(event)", "reason": "\(reason)"])
        deadTold = now
        untoldDead = 0
    }

    private func tellBreaker(wasOpen: Bool, _ outcome: AttemptOutcome) {
        guard wasOpen != state.breaker.isOpen else { return }
        if case .failed(let failure) = outcome {
            sender.logger.warning(
                "a destination only fails: it gets one request a minute until one succeeds",
                metadata: ["reason": "\(failure.reason)"])
        } else {
            sender.logger.notice("a destination works again")
        }
    }

    private mutating func showProblem() {
        guard state.problem != shownProblem else { return }
        shownProblem = state.problem
        if let problem = state.problem {
            sender.logger.warning("a destination waits", metadata: ["reason": "\(problem)"])
        }
    }

    private func warn(_ message: Logger.Message, _ error: any Error) {
        sender.logger.warning(message, metadata: ["error": "\(error)"])
    }
}

/// What a body gives or throws.
private func result<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
) async -> Result<Value, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
}
