/// Pauses that double, with jitter, so that many clients do not try again at the same moment.
package struct Backoff: Sendable {
    let shortest: Duration
    let longest: Duration
    /// The number of failures since the last success.
    package private(set) var failures = 0

    /// Starts at the shortest pause.
    package init(shortest: Duration, longest: Duration) {
        self.shortest = shortest
        self.longest = longest
    }

    /// Counts a failure.
    ///
    /// - Parameter jitter: A random number in 0 ..< 1.
    /// - Returns: The pause: between half of the doubled pause and all of it, at least `shortest` and at most
    ///   `longest`.
    package mutating func fail(jitter: Double) -> Duration {
        // More doublings would overflow, and the pause is the longest one long before.
        let whole = min(longest, shortest * (1 << min(failures, 20)))
        failures += 1
        return max(shortest, whole * (0.5 + 0.5 * jitter))
    }

    /// Starts again at the shortest pause.
    mutating func succeed() {
        failures = 0
    }
}
