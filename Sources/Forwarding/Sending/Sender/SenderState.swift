import Destinations
import EventLog
import Foundation

/// What one sender does next, as a state machine: it gets what happened, and says what to do.
///
/// It does no input or output, and has no clock: times are parameters. These rules hold:
/// - No attempt begins once the lease may be another server's.
/// - At most `CommitState.exposureLimit` events have been sent, or are under way, without a trace in the database. A kill repeats no
///   more.
/// - One attempt of a transaction is under way at a time.
/// - Each ending is committed once: with the cursor that passes its event, or with its row.
/// - A postback that a destination does not get costs no attempt, and the cursor passes it.
struct SenderState: Sendable {
    /// Which reader of the log an event comes from.
    enum Feed: Sendable, Hashable, CaseIterable {
        /// The destination's own reader.
        case live
        /// The reader of a replay, which sends days again.
        case replay
    }

    /// How long after the last renewal was sent an attempt may begin: two seconds before the lease ends.
    static let leaseTrust = Duration.seconds(8)
    /// The longest pause that a receiver's `Retry-After` makes for other events.
    static let longestPause = Duration.seconds(60)
    /// How long nothing is sent after a secret was missing.
    static let secretPause = Duration.seconds(5)

    typealias Window = SendingWindow<Delivery, DeliveryEnding>

    /// Where an attempt comes from.
    enum Source {
        case window(Feed, Window.Place)
        case row(WaitingDelivery)
    }

    /// An attempt that is to be made.
    struct Begun: Sendable {
        /// Its number among those of this sender.
        let number: Int
        let delivery: Delivery
        /// Until when the request may begin: then another server may send for the destination.
        let leaseEnd: ContinuousClock.Instant
    }

    /// An attempt that has begun.
    struct UnderWay {
        let source: Source
        let delivery: Delivery
        let begin: ContinuousClock.Instant
        let isRetry: Bool
        let isReplay: Bool
    }

    /// The destination.
    let destination: Destination
    /// Stops sending if all fails.
    var breaker: CircuitBreaker
    /// Why nothing is sent; nil if something may be.
    var problem: String?
    /// Why the destination must be switched off; nil if it must not.
    var offReason: String?
    /// Whether that is not stored yet.
    var isOffDue = false
    /// What others are shown; nil if nobody knows.
    var storedStatus: Status?
    /// Failed attempts in a row.
    var failures: Int
    /// Rows that are due.
    var retries: RetryQueue
    /// The readers, without those that do not exist.
    var windows: [Feed: Window]
    /// Where the replay ends; nil if there is none, or if it was read to its end.
    var replayEnd: LogCursor?
    /// Where the places of the next replay begin.
    ///
    /// Attempts of the one before may still be under way.
    var replayNumber = 0
    /// Endings of deliveries that have a row.
    var rowEndings: [DeliveryEnding] = []
    /// What is not committed yet.
    var commit: CommitState
    /// When the readers are read next.
    var reading: [Feed: ReadingState]
    /// When the sender was told to stop; nil if it was not.
    private(set) var stopped: ContinuousClock.Instant?

    private var bucket: TokenBucket
    /// Spreads new events over the time until the log is read next.
    var spreading: TokenBucket
    private var underWay: [Int: UnderWay] = [:]
    private var busy: Set<UUID> = []
    private var nextNumber = 0
    private var leaseEnd: ContinuousClock.Instant
    /// Until when nothing begins, since the receiver asked for that or a secret is missing.
    var pauseEnd: ContinuousClock.Instant
    /// Since when nothing was delivered and something failed.
    var failingSince: ContinuousClock.Instant?
    /// Whether the last attempt that began had a request of an earlier file.
    private var wasEarlierFile = false

    /// A sender that has read nothing.
    ///
    /// - Parameters:
    ///   - cursors: Where its readers are.
    ///   - failures: How many attempts in a row have failed before.
    ///   - failingTime: For how long nothing has succeeded; nil if the last attempt did.
    ///   - leaseSent: When the statement was sent that took the lease.
    init(
        destination: Destination, cursors: ForwardingCursors, failures: Int, failingTime: Duration?,
        leaseSent: ContinuousClock.Instant, at now: ContinuousClock.Instant
    ) {
        self.destination = destination
        self.failures = failures
        breaker = CircuitBreaker(failures: failures, at: now)
        bucket = TokenBucket(perSecond: destination.limits.perSecond, at: now)
        spreading = TokenBucket(perSecond: nil, at: now)
        windows = [.live: Window(from: cursors.live)]
        reading = [.live: ReadingState(at: now)]
        retries = RetryQueue(at: now)
        commit = CommitState(at: now)
        leaseEnd = leaseSent + Self.leaseTrust
        pauseEnd = now
        failingSince = failingTime.map { now - $0 }
        seen(cursors, at: now)
    }

    /// The number of attempts under way.
    var inFlight: Int { underWay.count }

    /// Whether the sender is to stop and has nothing left to store.
    ///
    /// What is under way then has a row.
    func isOver(at now: ContinuousClock.Instant) -> Bool {
        guard let stopped, !isOffDue, !commit.isUnderWay, rowEndings.isEmpty, windows.values.allSatisfy(\.isIdle) else {
            return false
        }
        return underWay.isEmpty || now - stopped >= Self.patienceAtStop
    }

    /// The lease was renewed by a statement that was sent at this time.
    mutating func renewed(sent: ContinuousClock.Instant) { leaseEnd = max(leaseEnd, sent + Self.leaseTrust) }

    /// The sender is to stop: it begins nothing more.
    mutating func stop(at now: ContinuousClock.Instant) { stopped = stopped ?? now }

    /// An attempt ended.
    ///
    /// - Parameter wallClock: Milliseconds since 1970.
    /// - Returns: What is to be stored; nil if the attempt did not begin.
    mutating func ended(
        _ number: Int, _ outcome: AttemptOutcome, at now: ContinuousClock.Instant, wallClock: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> DeliveryEnding? {
        guard let attempt = underWay.removeValue(forKey: number) else { return nil }
        busy.remove(attempt.delivery.transaction)
        judge(outcome, of: attempt, at: now)
        guard let result = result(of: outcome, for: attempt.delivery, wallClock: wallClock, using: &generator) else {
            putBack(attempt)
            return nil
        }
        if case .window(let feed, let place) = attempt.source, windows[feed]?.holds(place) ?? false {
            let ending = DeliveryEnding(delivery: attempt.delivery, hasRow: false, result: result)
            windows[feed]?.finish(place, ending)
            return ending
        }
        let ending = DeliveryEnding(delivery: attempt.delivery, hasRow: true, result: result)
        rowEndings.append(ending)
        return ending
    }

    /// Begins the next attempt; nil if nothing may begin now.
    mutating func begin(at now: ContinuousClock.Instant) -> Begun? {
        guard stopped == nil, now < leaseEnd, now >= pauseEnd, inFlight < destination.limits.inFlight,
            !commit.isFull, breaker.allows(at: now), bucket.take(at: now)
        else { return nil }
        guard let (source, delivery) = next(at: now) else {
            bucket.putBack()
            return nil
        }
        let number = nextNumber
        nextNumber += 1
        breaker.began(at: now)
        busy.insert(delivery.transaction)
        wasEarlierFile = delivery.isOfEarlierFile
        commit.expose()
        let isReplay = if case .window(.replay, _) = source { true } else { false }
        let isRetry = if case .row = source { true } else { false }
        underWay[number] = UnderWay(
            source: source, delivery: delivery, begin: now, isRetry: isRetry, isReplay: isReplay)
        return Begun(number: number, delivery: delivery, leaseEnd: leaseEnd)
    }

    /// What the next attempt sends.
    private mutating func next(at now: ContinuousClock.Instant) -> (Source, Delivery)? {
        breaker.isOpen ? nextProbe(at: now) : nextInTurn(at: now)
    }

    /// Retries and replays leave half of the requests to new events.
    ///
    /// Retries that are due come before new events, else they would wait for as long as those arrive without a pause.
    /// But requests of an earlier file may all hang where nobody is any more: behind each it is the turn of another.
    private mutating func nextInTurn(at now: ContinuousClock.Instant) -> (Source, Delivery)? {
        let half = max(1, destination.limits.inFlight / 2)
        let mayRetry = underWay.values.count(where: \.isRetry) < half
        if mayRetry, let next = nextRow(ofEarlierFile: wasEarlierFile ? false : nil) { return next }
        if let next = nextNewEvent(at: now) { return next }
        if underWay.values.count(where: \.isReplay) < half, let next = nextReplayed(at: now) { return next }
        return mayRetry && wasEarlierFile ? nextRow(ofEarlierFile: true) : nil
    }

    /// A probe finds out whether the present file works, so it is sent by that if anything can be.
    private mutating func nextProbe(at now: ContinuousClock.Instant) -> (Source, Delivery)? {
        if let next = nextNewEvent(at: now) { return next }
        if let next = nextRow(ofEarlierFile: false) { return next }
        if let next = nextReplayed(at: now) { return next }
        return nextRow(ofEarlierFile: true)
    }

    private mutating func nextRow(ofEarlierFile isEarlier: Bool?) -> (Source, Delivery)? {
        guard let row = retries.take(ofEarlierFile: isEarlier, unless: busy.contains) else { return nil }
        return (.row(row), Delivery(content: .row(row), isReplay: row.isReplay))
    }

    private mutating func nextNewEvent(at now: ContinuousClock.Instant) -> (Source, Delivery)? {
        guard spreading.take(at: now) else { return nil }
        guard let (place, delivery) = windows[.live]?.begin(at: now, unless: busy.contains) else {
            spreading.putBack()
            return nil
        }
        return (.window(.live, place), delivery)
    }

    private mutating func nextReplayed(at now: ContinuousClock.Instant) -> (Source, Delivery)? {
        guard let (place, delivery) = windows[.replay]?.begin(at: now, unless: busy.contains) else { return nil }
        return (.window(.replay, place), delivery)
    }
}
