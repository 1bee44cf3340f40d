import AppStoreData
package import Metrics
import Synchronization

/// The metrics of notifications of the App Store.
///
/// Each is made once and shared.
package final class NotificationMetrics: Sendable {
    let duration = Timer(label: "adattribution_app_store_notification_duration_seconds")
    let verifyDuration = Timer(label: "adattribution_app_store_notification_verify_seconds")
    let commitDuration = Timer(label: "adattribution_app_store_commit_duration_seconds")
    let commitBatchSize = Recorder(label: "adattribution_app_store_commit_batch_notifications")
    let unreplicatedCommits: Counter
    private let unknownTypes = Counter(label: "adattribution_app_store_unknown_types_total")
    private let unknownMembers = Counter(label: "adattribution_app_store_unknown_members_total")
    private let refundsWithoutTransaction = Counter(
        label: "adattribution_app_store_refunds_without_transaction_total")
    private let queueDepth = Gauge(label: "adattribution_app_store_queue_notifications")
    private let bodyBytes = Gauge(label: "adattribution_app_store_body_bytes")

    private struct Series: Hashable {
        let outcome: String
        let version: String
    }

    /// A counter is made when it is first needed.
    private let notifications = Mutex<[Series: Counter]>([:])

    /// - Parameter unreplicatedCommits: Counts batches that perhaps are not on the standby.
    package init(unreplicatedCommits: Counter) {
        self.unreplicatedCommits = unreplicatedCommits
    }

    /// Counts what this version of the program does not know of a notification, and a refund that counts nothing.
    func countGaps(_ notification: StoreNotification) {
        if !notification.isKnownType { unknownTypes.increment() }
        if !notification.unknownMembers.isEmpty { unknownMembers.increment(by: notification.unknownMembers.count) }
        if notification.lacksRefund { refundsWithoutTransaction.increment() }
    }

    /// Counts one request that was refused before its body was there: it was too large, or there was no memory for it.
    package func countUnread(_ outcome: String) { count(outcome, nil) }

    /// Counts one answer; the version is nil if nothing was verified.
    func count(_ outcome: String, _ version: StoreNotification.Version?) {
        let name =
            switch version {
            case .v1: "1"
            case .v2: "2"
            case nil: "unknown"
            }
        let series = Series(outcome: outcome, version: name)
        notifications.withLock { counters in
            let counter =
                counters[series]
                ?? Counter(
                    label: "adattribution_app_store_notifications_total",
                    dimensions: [("version", series.version), ("outcome", series.outcome)])
            counters[series] = counter
            counter.increment()
        }
    }

    /// Shows how many notifications wait, and the memory of large bodies.
    package func record(waiting: Int, bodyBytes bytes: Int) {
        queueDepth.record(waiting)
        bodyBytes.record(bytes)
    }
}
