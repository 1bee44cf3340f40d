import PostbackStore
import ServiceLifecycle

/// Keeps the metric `log_reader_lag_seconds` about right.
///
/// If the database can't be asked, it stays as it was.
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
