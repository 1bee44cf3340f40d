import Foundation
import Synchronization

/// How far a delivery is, on standard error: one line that changes on a terminal, else a line every few seconds.
final class DeliveryProgress: Sendable {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let interval: Duration
    private let next: Mutex<ContinuousClock.Instant>

    init(every seconds: Double) {
        interval = .seconds(isTerminal ? 0.5 : seconds)
        next = Mutex(ContinuousClock.now + interval)
    }

    /// Shows the number of answers, if it is time.
    func show(done: Int, of count: Int) {
        let isDue = next.withLock { next in
            guard ContinuousClock.now >= next else { return false }
            next = ContinuousClock.now + interval
            return true
        }
        guard isDue else { return }
        let text = "adsign: \(done) of \(count) answered"
        StandardStream.error(Array((isTerminal ? "\r\(text)" : "\(text)\n").utf8))
    }

    /// Ends the line on a terminal.
    func end() {
        if isTerminal { StandardStream.error(Array("\r\u{1B}[K".utf8)) }
    }
}
