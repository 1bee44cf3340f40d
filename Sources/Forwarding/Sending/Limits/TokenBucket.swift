/// Limits how many requests begin in a second.
///
/// It has no clock: times are parameters. What is not used is lost, but for a burst.
struct TokenBucket: Sendable, Equatable {
    private let perSecond: Double
    private let burst: Double
    private var tokens: Double
    private var updated: ContinuousClock.Instant

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - perSecond: At least 1; nil if there is no limit.
    ///   - burst: How many may begin at once, at least 1; nil for those of a second.
    init(perSecond: Int?, burst: Int? = nil, at now: ContinuousClock.Instant) {
        self.perSecond = perSecond.map(Double.init) ?? .infinity
        self.burst = burst.map { max(1, Double($0)) } ?? self.perSecond
        tokens = self.burst
        updated = now
    }

    /// Whether there is a limit.
    var isLimited: Bool { perSecond.isFinite }

    /// Takes a token if there is one.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        guard isLimited else { return true }
        tokens = min(burst, tokens + max(0, (now - updated) / .seconds(1)) * perSecond)
        updated = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// A token was taken for nothing.
    mutating func putBack() { tokens = min(burst, tokens + 1) }
}
