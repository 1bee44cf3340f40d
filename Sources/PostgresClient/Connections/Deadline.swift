/// The moment at which a wait gives up.
struct Deadline: Sendable {
    let instant: ContinuousClock.Instant

    init(after duration: Duration) {
        instant = ContinuousClock.now.advanced(by: duration)
    }

    /// What is left of the time for `poll`: whole milliseconds, rounded up, 0 when it is over.
    var remainingMilliseconds: Int32 {
        let remaining = ContinuousClock.now.duration(to: instant)
        return remaining <= .zero ? 0 : remaining.serverMilliseconds
    }
}
