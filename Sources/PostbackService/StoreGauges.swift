import AdminAPI
import AppleAds
import BackgroundWork
import EventLog
import Forwarding
import Metrics
import PostbackIngest
import PostbackQuarantine
import PostbackStore
import ServiceLifecycle

/// Updates some metrics regularly: the quarantine, the readers of the log, the standbys, the destinations, the tokens of
/// Apple Ads that wait.
///
/// On a cluster it shows, too, which lanes can't be counted.
///
/// It asks the database, because several servers write to it. A metric does not change while the database does not
/// answer.
struct StoreGauges: Service {
    let store: PostbackStore
    let metrics: ServiceMetrics
    let logMetrics: LogMetrics
    /// Looks at the workers of a cluster; nil on plain PostgreSQL.
    let readiness: Readiness?
    let standbys: StandbyMetrics
    let appleAds: AppleAdsMetrics
    /// Shows how destinations are; nil if the service that sends to them does.
    let forwarding: ForwardingMetrics?
    var interval: Duration = .seconds(15)

    func run() async throws {
        await Repetition.run(every: interval) {
            if let rows = try? await store.quarantineRows() { metrics.quarantineRows.record(rows) }
            if let backlog = try? await store.appleAdsBacklog() { appleAds.show(backlog) }
            await readiness?.look()
            if let lags = try? await store.logReaderLags() { logMetrics.record(lags) }
            if let lags = try? await store.standbyLags() { standbys.record(lags) }
            if let forwarding, let statuses = try? await store.destinationStatuses() { forwarding.show(statuses) }
        }
    }
}
