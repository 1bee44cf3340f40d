import Metrics
import PostbackStore
import ServiceLifecycle

/// Updates the metrics `quarantine_rows` and `log_reader_lag_seconds` regularly.
///
/// It asks the database, because several servers write to it. A metric does not change while the database does not
/// answer.
struct StoreGauges: Service {
    let store: PostbackStore
    let metrics: ServiceMetrics
    var interval: Duration = .seconds(15)

    func run() async throws {
        await Repetition.run(every: interval) {
            if let rows = try? await store.quarantineRows() { metrics.quarantineRows.record(rows) }
            if let lags = try? await store.logReaderLags() { metrics.record(lags) }
        }
    }
}
