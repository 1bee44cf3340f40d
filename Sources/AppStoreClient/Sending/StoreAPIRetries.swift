/// When a request that failed is sent again.
///
/// It has no clock: times are parameters.
package struct StoreAPIRetries: Sendable {
    /// The longest waits after the first failure, the second one, and so on; after the last one nothing is sent again.
    package let delays: [Duration]
    /// If Apple asks for a longer wait, the request fails instead: a command can be run again then.
    package let longestWait: Duration

    /// Takes both.
    package init(
        delays: [Duration] = [.seconds(1), .seconds(2), .seconds(4), .seconds(8)], longestWait: Duration = .seconds(60)
    ) {
        self.delays = delays
        self.longestWait = longestWait
    }

    /// How long to wait; nil if the request has failed for good.
    ///
    /// The wait is random, up to the delay ("full jitter"), and at least as long as Apple asked for.
    ///
    /// - Parameters:
    ///   - failures: How often it has failed, from 1.
    ///   - now: Milliseconds since 1970.
    ///   - jitter: 0 … 1.
    package func wait(after error: StoreAPIError, failures: Int, at now: Int64, jitter: Double) -> Duration? {
        guard error.isRetryable, delays.indices.contains(failures - 1) else { return nil }
        let asked = error.retryAt.map { Duration.milliseconds(max(0, $0 - now)) } ?? .zero
        guard asked <= longestWait else { return nil }
        return max(delays[failures - 1] * jitter, asked)
    }
}
