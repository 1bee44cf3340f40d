/// Stops sending to a destination that only fails, but for one attempt a minute.
///
/// It has no clock: times are parameters. Without it, a receiver that is down would get every event once. Each event
/// would become a row, and each row would be tried again. With it the log waits behind the cursor, and costs nothing.
package struct CircuitBreaker: Sendable, Equatable {
    /// How many attempts in a row must fail, of any events.
    package static let threshold = 20
    /// How long it takes from one probe to the next.
    package static let probeInterval = Duration.seconds(60)

    private enum State: Equatable {
        /// Everything may be sent.
        ///
        /// Can transition to: open (`failed`).
        case closed(failures: Int)
        /// Nothing may be sent until this time; then one probe.
        ///
        /// Can transition to: probing (`began`), closed (`succeeded`: an attempt that began before).
        case open(nextProbe: ContinuousClock.Instant)
        /// One attempt is under way.
        ///
        /// Can transition to: open (`failed`), closed (`succeeded`).
        case probing(since: ContinuousClock.Instant)
    }

    private var state: State

    /// Goes on after this many failures in a row, which another server may have seen.
    package init(failures: Int = 0, at now: ContinuousClock.Instant) {
        state = failures >= Self.threshold ? .open(nextProbe: now) : .closed(failures: failures)
    }

    /// Whether only probes are sent.
    package var isOpen: Bool {
        if case .closed = state { false } else { true }
    }

    /// Whether an attempt may begin.
    func allows(at now: ContinuousClock.Instant) -> Bool {
        switch state {
        case .closed: true
        case .open(let nextProbe): now >= nextProbe
        case .probing: false
        }
    }

    /// An attempt began that was allowed.
    mutating func began(at now: ContinuousClock.Instant) {
        if case .open = state { state = .probing(since: now) }
    }

    /// An attempt succeeded.
    mutating func succeeded() { state = .closed(failures: 0) }

    /// An attempt failed that began at this time.
    mutating func failed(begunAt begin: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
        switch state {
        case .closed(let failures):
            let isTooMany = failures + 1 >= Self.threshold
            state = isTooMany ? .open(nextProbe: now + Self.probeInterval) : .closed(failures: failures + 1)
        case .open: break
        case .probing(let since):
            // One that began before the breaker opened says nothing about the probe.
            if begin >= since { state = .open(nextProbe: since + Self.probeInterval) }
        }
    }

    /// An attempt ended that says nothing of the receiver: the next probe has its time all the same.
    mutating func passed(begunAt begin: ContinuousClock.Instant) {
        if case .probing(let since) = state, begin >= since { state = .open(nextProbe: since + Self.probeInterval) }
    }

    /// The probe did not take place after all.
    mutating func gaveUp(begunAt begin: ContinuousClock.Instant, at now: ContinuousClock.Instant) {
        if case .probing(let since) = state, begin >= since { state = .open(nextProbe: now) }
    }
}
