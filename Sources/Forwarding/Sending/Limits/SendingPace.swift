import Synchronization

/// How many requests all senders of a server begin in a second while counting needs the processors.
///
/// Usually there is no limit. If the processors are busy and many postbacks arrive, senders keep to `slowest`. What they
/// do not send waits in the log. While the processors have room, the limit rises by a quarter at each look, until it is
/// none. The idea is that of TCP: fall at once, rise slowly.
///
/// It has no clock: times are parameters.
final class SendingPace: Sendable {
    /// How often somebody looks.
    static let interval = Duration.milliseconds(250)
    /// The share of the processors from which they are busy.
    static let busy = 0.85
    /// From so many postbacks a second on, counting comes first.
    static let manyEvents: Int64 = 2_000
    /// Requests a second of all senders together while counting comes first.
    static let slowest = 250
    /// A limit above this is none.
    private static let fastest = 20_000

    private struct State {
        var perSecond: Int?
        var bucket: TokenBucket
    }

    private let state: Mutex<State>

    /// There is no limit.
    init(at now: ContinuousClock.Instant = .now) {
        state = Mutex(State(perSecond: nil, bucket: TokenBucket(perSecond: nil, at: now)))
    }

    /// Requests a second; nil if there is no limit.
    var perSecond: Int? { state.withLock(\.perSecond) }

    /// Whether a request may begin; then it counts as begun.
    func take(at now: ContinuousClock.Instant) -> Bool { state.withLock { $0.bucket.take(at: now) } }

    /// A request did not begin after all.
    func putBack() { state.withLock { $0.bucket.putBack() } }

    /// Somebody has looked.
    ///
    /// - Parameter mustRest: Whether the processors are busy and many postbacks arrive.
    func looked(mustRest: Bool, at now: ContinuousClock.Instant) {
        state.withLock { state in
            let next: Int?
            if mustRest {
                next = Self.slowest
            } else {
                next = state.perSecond.map { $0 + $0 / 4 }.flatMap { $0 > Self.fastest ? nil : $0 }
            }
            guard next != state.perSecond else { return }
            state.perSecond = next
            state.bucket = TokenBucket(perSecond: next, burst: next.map { $0 / 20 }, at: now)
        }
    }
}
