import Logging
import Metrics
import PostbackStore
import Synchronization

/// The metrics of the standbys of the database: how many there are, and how far they are behind.
final class StandbyMetrics: Sendable {
    private let connected = Gauge(label: "adattribution_standbys")
    private let hidden = Gauge(label: "adattribution_standbys_hidden")
    private let bytes = GaugeSet("adattribution_standby_lag_bytes", by: "standby")
    private let seconds = GaugeSet("adattribution_standby_lag_seconds", by: "standby")
    private let isTold = Mutex(false)
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    /// Shows the standbys that are connected now.
    func record(_ lags: [StandbyLag]) {
        let hiddenCount = lags.reduce(0) { $0 + ($1.lag == nil ? $1.count : 0) }
        connected.record(lags.reduce(0) { $0 + $1.count })
        hidden.record(hiddenCount)
        bytes.record(lags.compactMap { standby in standby.lag.map { ([standby.name], Double($0.bytes)) } })
        seconds.record(lags.compactMap { standby in standby.lag.map { ([standby.name], $0.seconds) } })
        let isNew = isTold.withLock { isTold in
            defer { isTold = hiddenCount > 0 }
            return hiddenCount > 0 && !isTold
        }
        guard isNew else { return }
        logger.notice(
            "the role may not see how far standbys are behind; GRANT pg_read_all_stats to it, or watch them elsewhere",
            metadata: ["standbys": "\(hiddenCount)"])
    }
}
