package import AdAttribution
package import Logging
import PostbackQuarantine
package import PostbackStore
import PostgresClient

/// Verifies quarantined bodies again, with the present key ring and build, and counts those that now pass.
///
/// They count by the same rules as any delivery, on the day of their first receipt. It may run beside servers. It can
/// be stopped at any time and run again: a postback that was counted but not yet removed from the quarantine is then a
/// duplicate.
package struct QuarantineReprocessing: Sendable {
    private let store: PostbackStore
    private let verifier: PostbackVerifier
    private let pageSize: Int
    private let logger: Logger

    /// Takes the store, the key ring and the size of a page.
    package init(store: PostbackStore, keyRing: KeyRing, pageSize: Int = 500, logger: Logger) {
        self.store = store
        self.verifier = PostbackVerifier(keyRing: keyRing)
        self.pageSize = pageSize
        self.logger = logger
    }

    /// Reprocesses the whole quarantine once, the oldest body first.
    ///
    /// - Throws: An error of the database that was not about the values of one body.
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

    /// Verifies one row again.
    ///
    /// - Parameter key: The key of the row.
    /// - Returns: What happened to its bodies; nil if the row is not there any more.
    /// - Throws: An error of the database that was not about the values of the bodies.
    package func run(key: [UInt8]) async throws -> ReprocessingSummary? {
        guard let body = try await store.quarantinedBody(key) else { return nil }
        var summary = ReprocessingSummary()
        try await moveIn([body], &summary)
        return summary
    }

    /// Counts what now passes, in order, and removes from the quarantine the rows whose bodies were all counted.
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
