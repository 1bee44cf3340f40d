import AsyncAlgorithms
package import Logging
import ServiceLifecycle

/// What a service does again and again.
package enum Repetition {
    /// Runs a body at regular intervals until the task is cancelled or the services shut down.
    ///
    /// A body that is under way is cancelled, too. If one takes longer than the interval, the missed ones follow at
    /// once.
    ///
    /// - Parameters:
    ///   - interval: The time from the beginning of one to the beginning of the next.
    ///   - isAtOnce: Whether the first one runs now instead of after the first interval.
    package static func run(
        every interval: Duration, isAtOnce: Bool = true, _ body: @escaping @Sendable () async -> Void
    ) async {
        await cancelWhenGracefulShutdown {
            if isAtOnce { await body() }
            for await _ in AsyncTimerSequence(interval: interval, clock: .continuous) { await body() }
        }
    }

    /// The same for a body that may fail.
    ///
    /// - Parameter warning: What is logged then.
    package static func run(
        every interval: Duration, warning: Logger.Message, to logger: Logger,
        _ body: @escaping @Sendable () async throws -> Void
    ) async {
        await run(every: interval) {
            do {
                try await body()
            } catch  where error is CancellationError || Task.isCancelled {
                // The service stops.
            } catch {
                logger.warning(warning, metadata: ["error": "\(error)"])
            }
        }
    }

    /// Runs a body until the task is cancelled, which says each time how long to wait until the next one.
    ///
    /// - Parameters:
    ///   - interval: How long to wait after a body that failed.
    ///   - warning: What is logged then.
    package static func run(
        pausing interval: Duration, warning: Logger.Message, to logger: Logger, _ body: () async throws -> Duration
    ) async {
        while !Task.isCancelled {
            var pause = interval
            do {
                pause = try await body()
            } catch  where error is CancellationError || Task.isCancelled {
                return
            } catch {
                logger.warning(warning, metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: pause)
        }
    }
}
