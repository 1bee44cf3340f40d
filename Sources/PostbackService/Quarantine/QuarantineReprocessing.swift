public import AdAttribution
public import Logging
public import PostbackStore
import PostgresClient

/// Verifies quarantined bodies again, with the key ring and the build of today, and moves in those that now pass.
///
/// They count by the same rules as any delivery, on the day of their first receipt. It may run beside servers, be
/// stopped at any point and run again: what was counted but not yet taken out of the quarantine is then a duplicate.
public struct QuarantineReprocessing: Sendable {
    private let store: PostbackStore
    private let verifier: PostbackVerifier
    private let pageSize: Int
    private let logger: Logger

    /// Reprocessing over a store, page by page.
    public init(store: PostbackStore, keyRing: KeyRing, pageSize: Int = 500, logger: Logger) {
        self.store = store
        self.verifier = PostbackVerifier(keyRing: keyRing)
        self.pageSize = pageSize
        self.logger = logger
    }

    /// Goes through the quarantine once, the oldest first.
    ///
    /// - Throws: what the database threw, where it was not about one body's values.
    public func run() async throws -> ReprocessingSummary {
        var summary = ReprocessingSummary()
        var last: QuarantinedBody?
        while true {
            let page = try await store.quarantinedBodies(after: last, limit: pageSize)
            guard !page.isEmpty else { return summary }
            try await moveIn(page, &summary)
            last = page.last
        }
    }

    private func moveIn(_ page: [QuarantinedBody], _ summary: inout ReprocessingSummary) async throws {
        var passed: [(body: QuarantinedBody, delivery: PostbackDelivery)] = []
        for body in page {
            do throws(PostbackRejection) {
                let verified = try verifier.verify(Postback(parsing: body.body))
                passed.append((body, PostbackDelivery(verified, receivedAt: body.firstSeenAt)))
            } catch {
                summary.refused += 1
            }
        }
        var counted: [QuarantinedBody] = []
        for (body, result) in zip(passed.map(\.body), await store.record(passed.map(\.delivery))) {
            switch result {
            case .success(let outcome):
                summary.count(outcome)
                counted.append(body)
            case .failure(let error as PostgresError) where error.isAboutValues:
                summary.failed += 1
                logger.error("quarantined postback refused by the database", metadata: ["error": "\(error)"])
            case .failure(let error): throw error
            }
        }
        _ = try await store.removeFromQuarantine(counted)
    }
}
