/// The moment at which a wait gives up.
struct Deadline: Sendable {
    let instant: ContinuousClock.Instant

    init(after duration: Duration) {
        instant = ContinuousClock.now.advanced(by: duration)
    }

    /// The time left, for `poll`: whole milliseconds, rounded up; 0 if the deadline has passed.
    var remainingMilliseconds: Int32 {
        let remaining = ContinuousClock.now.duration(to: instant)
        return remaining <= .zero ? 0 : remaining.serverMilliseconds
    }
}
