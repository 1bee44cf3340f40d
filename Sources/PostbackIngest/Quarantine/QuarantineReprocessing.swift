package import AdAttribution
package import Logging
package import PostbackStore
import PostgresClient

/// Verifies quarantined bodies again, with the key ring and the build of today, and moves in those that now pass.
///
/// They count by the same rules as any delivery, on the day of their first receipt. It may run beside servers, be
/// stopped at any point and run again: what was counted but not yet taken out of the quarantine is then a duplicate.
package struct QuarantineReprocessing: Sendable {
    private let store: PostbackStore
    private let verifier: PostbackVerifier
    private let pageSize: Int
    private let logger: Logger

    /// Reprocessing over a store, page by page.
    package init(store: PostbackStore, keyRing: KeyRing, pageSize: Int = 500, logger: Logger) {
        self.store = store
        self.verifier = PostbackVerifier(keyRing: keyRing)
        self.pageSize = pageSize
        self.logger = logger
    }

    /// Goes through the quarantine once, the oldest first.
    ///
    /// - Throws: what the database threw, where it was not about one body's values.
    package func run() async throws -> ReprocessingSummary {
        var summary = ReprocessingSummary()
        var last: QuarantinedBody?
        while true {
            let page = try await store.quarantinedBodies(after: last, limit: pageSize)
            guard !page.isEmpty else { return summary }
            try await moveIn(page, &summary)
            last = page.last
        }
    }

    /// Counts what passes now, in order, and takes out of the quarantine what was counted whole.
    private func moveIn(_ page: [QuarantinedBody], _ summary: inout ReprocessingSummary) async throws {
        let offered = page.indices.flatMap { place in page[place].deliveries.map { (place: place, delivery: $0) } }
        var passed: [(place: Int, delivery: PostbackDelivery)] = []
        var left: Set<Int> = []
        for (place, delivery) in offered {
            do throws(PostbackRejection) {
                let verified = try verifier.verify(Postback(parsing: delivery.body))
                passed.append(
                    (place, PostbackDelivery(verified, receivedAt: delivery.receivedAt, origin: delivery.origin)))
            } catch {
                summary.refused += 1
                left.insert(place)
            }
        }
        for (place, result) in zip(passed.map(\.place), await store.record(passed.map(\.delivery))) {
            switch result {
            case .success(let outcome):
                summary.count(outcome)
            case .failure(let error as PostgresError) where error.isAboutValues:
                summary.failed += 1
                left.insert(place)
                logger.error("quarantined postback refused by the database", metadata: ["error": "\(error)"])
            case .failure(let error): throw error
            }
        }
        _ = try await store.removeFromQuarantine(page.indices.filter { !left.contains($0) }.map { page[$0] })
    }
}
