import Metrics
import PostbackStore
import ServiceLifecycle

/// Updates the metric `quarantine_rows` regularly.
///
/// It asks the database, because several servers write to the quarantine.
struct QuarantineGauge: Service {
    let store: PostbackStore
    let metrics: ServiceMetrics
    var interval: Duration = .seconds(15)

    func run() async throws {
        await Repetition.run(every: interval) {
            if let rows = try? await store.quarantineRows() { metrics.quarantineRows.record(rows) }
        }
    }
}
