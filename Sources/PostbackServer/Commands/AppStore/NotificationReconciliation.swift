import AdAttribution
import AppStoreClient
import AppStoreData
import AppStoreEvents
import Foundation
import PostbackStore

/// Compares Apple's history of notifications with what is stored, and changes nothing.
struct NotificationReconciliation: Sendable {
    /// What was compared, and what was found.
    struct Counts: Sendable, CustomStringConvertible {
        var notifications = 0
        var missing = 0
        /// Transactions of these notifications that are missing, older, or have other amounts; each once.
        var transactions: Set<StoredTransactionKey> = []
        var refused = 0
        /// Rows of the history without a notification; nothing can be compared with them.
        var withoutPayload = 0

        var differences: Int { missing + transactions.count + refused }

        var description: String {
            let empty = withoutPayload > 0 ? ", \(withoutPayload) without data" : ""
            return "\(notifications) notifications compared, \(missing) missing, "
                + "\(transactions.count) transactions missing or different, \(refused) refused\(empty)"
        }
    }

    let store: PostbackStore
    let session: StoreAPISession
    let query: NotificationHistoryQuery

    /// Reads page after page.
    ///
    /// - Parameter show: Gets a line for each difference.
    func run(_ show: (String) throws -> Void) async throws -> Counts {
        var counts = Counts()
        var pages = session.client.notificationPages(query)
        while let page = try await pages.next() {
            var notifications: [(key: StoredNotificationKey, notification: StoreNotification)] = []
            for entry in page.entries {
                do throws(SignedDataError) {
                    let notification = try session.notification(entry.body)
                    let (environment, id) = (notification.environment, notification.id)
                    guard let key = StoredNotificationKey(environment: environment, bytes: id) else {
                        throw SignedDataError(.malformed, field: "notificationUUID", rule: "must have 16 bytes")
                    }
                    notifications.append((key, notification))
                } catch {
                    counts.refused += 1
                    try show("refused: \(error.reason.rawValue): \(error)")
                }
            }
            counts.notifications += notifications.count
            counts.withoutPayload += page.withoutPayload
            try await compare(notifications, &counts, show)
            try await compare(notifications.flatMap { $0.notification.transactions }, &counts, show)
        }
        return counts
    }

    private func compare(
        _ notifications: [(key: StoredNotificationKey, notification: StoreNotification)], _ counts: inout Counts,
        _ show: (String) throws -> Void
    ) async throws {
        guard !notifications.isEmpty else { return }
        let stored = try await store.stored(notifications.map { $0.key })
        for (key, notification) in notifications where !stored.contains(key) {
            counts.missing += 1
            let type = notification.type + (notification.subtype.map { " \($0)" } ?? "")
            let time = notification.signedAt.map { " of \(AppStoreText.time($0))" } ?? ""
            try show("missing: notification \(key.id.uuidString.lowercased()) \(type)\(time)")
        }
    }

    private func compare(
        _ transactions: [StoreTransaction], _ counts: inout Counts, _ show: (String) throws -> Void
    ) async throws {
        guard !transactions.isEmpty else { return }
        let keys = transactions.map { StoredTransactionKey(environment: $0.environment, id: $0.transactionID) }
        let stored = try await store.stored(Array(Set(keys)))
        for (key, transaction) in zip(keys, transactions) where !counts.transactions.contains(key) {
            if let amounts = stored[key] {
                guard let difference = amounts.difference(from: transaction) else { continue }
                try show("different: transaction \(key.id): \(difference)")
            } else {
                try show("missing: transaction \(key.id) of \(transaction.productID)")
            }
            counts.transactions.insert(key)
        }
    }
}

/// Differences that `app-store reconcile` has shown.
struct StoreDifferences: Error, CustomStringConvertible {
    let count: Int

    var description: String { "\(count) differences from Apple's history were found" }
}
