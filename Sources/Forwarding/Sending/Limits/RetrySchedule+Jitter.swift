import Destinations

extension RetrySchedule {
    /// The shortest wait.
    private static var minimum: Duration { .seconds(1) }

    /// How long to wait after an attempt that failed; nil if it was the last one.
    ///
    /// The wait is random, from nothing to the schedule's delay: "full jitter" (AWS Architecture Blog, "Exponential
    /// Backoff And Jitter"). Events that failed together would otherwise come back together. It is at least a second,
    /// and at least as long as the receiver asked for.
    ///
    /// - Parameter attempt: The number of the attempt, from 1.
    func wait(
        after attempt: Int, atLeast asked: Duration?, using generator: inout some RandomNumberGenerator
    ) -> Duration? {
        guard attempt >= 1, attempt <= delays.count else { return nil }
        let part = Double.random(in: 0...1, using: &generator)
        return max(delays[attempt - 1] * part, asked ?? .zero, Self.minimum)
    }
}
