/// Limits how many requests begin in a second.
///
/// It has no clock: times are parameters. A second's tokens may be used at once; what is not used is lost.
struct TokenBucket: Sendable, Equatable {
    private let perSecond: Double
    private var tokens: Double
    private var updated: ContinuousClock.Instant

    /// A full bucket.
    ///
    /// - Parameter perSecond: At least 1; nil if there is no limit.
    init(perSecond: Int?, at now: ContinuousClock.Instant) {
        self.perSecond = perSecond.map(Double.init) ?? .infinity
        tokens = self.perSecond
        updated = now
    }

    /// Takes a token if there is one.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        guard perSecond.isFinite else { return true }
        tokens = min(perSecond, tokens + max(0, (now - updated) / .seconds(1)) * perSecond)
        updated = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// A token was taken for nothing.
    mutating func putBack() { tokens = min(perSecond, tokens + 1) }
}
