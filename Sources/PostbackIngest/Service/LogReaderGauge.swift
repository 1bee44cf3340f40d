import PostbackStore
import ServiceLifecycle

/// Updates the metric `log_reader_lag_seconds` regularly.
///
/// If the database does not answer, the metric does not change.
struct LogReaderGauge: Service {
    let store: PostbackStore
    let metrics: ServiceMetrics
    var interval: Duration = .seconds(15)

    func run() async throws {
        await Repetition.run(every: interval) {
            if let lags = try? await store.logReaderLags() { metrics.record(lags) }
        }
    }
}
