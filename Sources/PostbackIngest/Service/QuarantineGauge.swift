import Metrics
import PostbackStore
import ServiceLifecycle

/// Keeps the metric `quarantine_rows` about right; several servers write to one quarantine, so it is asked for.
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
