import Synchronization

/// The summary, which many deliveries add to.
final class DeliveryTally: Sendable {
    private let value = Mutex(DeliverySummary())

    var summary: DeliverySummary { value.withLock { $0 } }

    var count: Int { value.withLock { $0.count } }

    func add(_ outcome: DeliverySummary.Outcome, seconds: Double) {
        value.withLock { $0.add(outcome, seconds: seconds) }
    }
}
