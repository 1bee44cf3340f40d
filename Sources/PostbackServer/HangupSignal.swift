import Logging
import ServiceLifecycle
import UnixSignals

/// Runs handlers on SIGHUP, which would otherwise end the process without draining.
struct HangupSignal: Service {
    let logger: Logger
    /// What to do, in order.
    var handlers: [@Sendable () async -> Void] = []

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            logger.notice("SIGHUP", metadata: ["handlers": "\(handlers.count)"])
            for handler in handlers { await handler() }
        }
    }
}
