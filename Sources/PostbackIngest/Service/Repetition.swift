import AsyncAlgorithms
import ServiceLifecycle

/// What a service does again and again.
enum Repetition {
    /// Runs a body at regular intervals until the task is cancelled or the services shut down.
    ///
    /// A body that is under way is cancelled, too. If one takes longer than the interval, the missed ones follow at once.
    ///
    /// - Parameters:
    ///   - interval: The time from the beginning of one to the beginning of the next.
    ///   - isAtOnce: Whether the first one runs now instead of after the first interval.
    static func run(
        every interval: Duration, isAtOnce: Bool = true, _ body: @escaping @Sendable () async -> Void
    ) async {
        await cancelWhenGracefulShutdown {
            if isAtOnce { await body() }
            for await _ in AsyncTimerSequence(interval: interval, clock: .continuous) { await body() }
        }
    }
}
