import AppStoreClient
import AppStoreData
import AppStoreEvents
import Foundation
import PostbackStore
import PostgresClient

/// Stores the notifications of Apple's history, as if they were delivered now.
///
/// What is stored already is a duplicate, so nothing counts twice. How far it is, is written behind each page. So a run
/// that was ended goes on with the page that it had not stored.
struct NotificationBackfill: Sendable {
    /// What a run has done.
    struct Counts: Sendable, CustomStringConvertible {
        var pages = 0
        var accepted = 0
        var duplicates = 0
        var refused = 0
        /// Rows of the history without a notification.
        var withoutPayload = 0

        var description: String {
            let empty = withoutPayload > 0 ? ", \(withoutPayload) without data" : ""
            return "\(pages) pages, \(accepted) accepted, \(duplicates) duplicate, \(refused) refused\(empty)"
        }
    }

    let store: PostbackStore
    let session: StoreAPISession
    let backfill: StoreBackfill
    let query: NotificationHistoryQuery

    /// Reads page after page.
    ///
    /// - Parameter report: Gets the counts behind each page.
    func run(_ report: (Counts) throws -> Void) async throws -> Counts {
        var counts = Counts()
        var place = try await store.begin(backfill)
        var pages = session.client.notificationPages(query, after: place.token)
        var isContinued = place.token != nil
        if isContinued {
            ProgramLog.write("backfill: an earlier run has not ended: goes on behind page \(place.pages)")
        }
        while true {
            let page: NotificationHistoryPage?
            do throws(StoreAPIError) {
                page = try await pages.next()
            } catch {
                // The token of an earlier run has ended.
                guard isContinued, error.isPageTokenRefused else { throw error }
                ProgramLog.write(
                    "backfill: Apple does not take the place behind page \(place.pages) any more: begins anew")
                isContinued = false
                place = .beginning
                pages = session.client.notificationPages(query)
                continue
            }
            guard let page else { return counts }
            isContinued = false
            try await keep(page, &counts)
            place = StoreBackfill.Place(token: page.next, pages: place.pages + 1)
            try await store.advance(backfill, to: place, isOver: page.next == nil)
            try report(counts)
        }
    }

    private func keep(_ page: NotificationHistoryPage, _ counts: inout Counts) async throws {
        let now = store.clock()
        var deliveries: [NotificationDelivery] = []
        var rejected: [RejectedNotification] = []
        for entry in page.entries {
            let body = entry.body
            do throws(SignedDataError) {
                let notification = try session.notification(body)
                deliveries.append(
                    NotificationDelivery(notification: notification, body: notification.kept, receivedAt: now))
            } catch {
                ProgramLog.write("refused: \(error.reason.rawValue): \(error)")
                rejected.append(RejectedNotification(body: body, error: error, receivedAt: now))
            }
        }
        let accountKey = session.verifier.trust.accountKey
        for (lane, batch) in Dictionary(grouping: deliveries, by: \.lane).sorted(by: { $0.key < $1.key }) {
            let results = await store.recordOrQuarantine(batch, lane: lane, accountKey: accountKey)
            for (delivery, result) in zip(batch, results) { try count(result, of: delivery, &counts) }
        }
        if !rejected.isEmpty { try await store.quarantine(rejected) }
        counts.refused += rejected.count
        counts.withoutPayload += page.withoutPayload
        counts.pages += 1
    }

    /// Counts the outcome of a notification; names one that the database refuses, which is in the quarantine.
    private func count(
        _ result: Result<NotificationOutcome, any Error>, of delivery: NotificationDelivery, _ counts: inout Counts
    ) throws {
        switch result {
        case .success(.accepted): counts.accepted += 1
        case .success(.duplicate): counts.duplicates += 1
        case .failure(let error as SignedDataError):
            let (environment, id) = (delivery.notification.environment, delivery.notification.id)
            let key = StoredNotificationKey(environment: environment, bytes: id)
            let name = key.map { " \($0.id.uuidString.lowercased())" } ?? ""
            ProgramLog.write("refused: \(error.reason.rawValue): \(error): notification\(name)")
            counts.refused += 1
        case .failure(let error): throw error
        }
    }
}
