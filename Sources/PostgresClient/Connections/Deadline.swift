/// The moment at which a wait gives up.
struct Deadline: Sendable {
    let instant: ContinuousClock.Instant

    init(after duration: Duration) {
        instant = ContinuousClock.now.advanced(by: duration)
    }

    /// The end of the first of several waits that share the time left until another deadline equally.
    init(_ other: Deadline, sharedBy waits: Int) {
        instant = ContinuousClock.now.advanced(by: ContinuousClock.now.duration(to: other.instant) / waits)
    }

    /// The time left, for `poll`: whole milliseconds, rounded up; 0 if the deadline has passed.
    var remainingMilliseconds: Int32 {
        let remaining = ContinuousClock.now.duration(to: instant)
        return remaining <= .zero ? 0 : remaining.serverMilliseconds
    }
}
