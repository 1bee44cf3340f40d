package import Logging
import Synchronization

/// A log line that may be due many times a second, for example once for each batch of an outage.
///
/// It is written once a second at most. The next one has the number of those that were left out, as `suppressed`.
package final class RepeatedLine: Sendable {
    private let level: Logger.Level
    private let message: Logger.Message
    private let pace = Mutex(LinePace())

    /// Makes a line that was not written yet.
    ///
    /// All that write this line must share one value.
    package init(_ level: Logger.Level, _ message: Logger.Message) {
        self.level = level
        self.message = message
    }

    /// Writes the line, unless it was written less than a second ago.
    package func log(to logger: Logger, _ metadata: @autoclosure () -> Logger.Metadata) {
        log(to: logger, metadata(), at: .now)
    }

    /// The same with a given time.
    func log(
        to logger: Logger, _ metadata: @autoclosure () -> Logger.Metadata, at now: ContinuousClock.Instant
    ) {
        guard let suppressed = pace.withLock({ $0.admit(at: now) }) else { return }
        var metadata = metadata()
        if suppressed > 0 { metadata["suppressed"] = .stringConvertible(suppressed) }
        logger.log(level: level, message, metadata: metadata)
    }
}

/// Admits one line a second, and counts the others.
struct LinePace {
    private static let interval = Duration.seconds(1)
    private var last: ContinuousClock.Instant?
    private var suppressed = 0

    /// Whether a line may be written now.
    ///
    /// - Returns: The number of lines that were not admitted since the last one that was; nil if this one is not.
    mutating func admit(at now: ContinuousClock.Instant) -> Int? {
        if let last, now - last < Self.interval {
            suppressed += 1
            return nil
        }
        last = now
        defer { suppressed = 0 }
        return suppressed
    }
}
