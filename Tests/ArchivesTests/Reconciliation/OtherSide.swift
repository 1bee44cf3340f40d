import PostgresClient
import TestSupport

@testable import AdAttribution
@testable import Archives
@testable import PostbackStore

/// The other side's archives, for tests of reconciliations: deliveries in the order of their lines.
struct OtherSide: Sendable {
    let database: TestDatabase
    let store: PostbackStore

    static let hour: Int64 = 3_600_000
    static let day = 24 * hour

    /// `Deliveries.time`, and so many milliseconds.
    static func time(_ milliseconds: Int64 = 0) -> PostgresTimestamp {
        PostgresTimestamp(millisecondsSince1970: Deliveries.time.millisecondsSince1970 + milliseconds)
    }

    /// Compares an archive.
    ///
    /// - Parameters:
    ///   - fingerprint: Archives with one fingerprint are one.
    ///   - hasTimes: Whether its lines have their times of receipt.
    func reconcile(
        _ deliveries: [PostbackDelivery], fingerprint: UInt8 = 1, hasTimes: Bool = true,
        knowing knowledge: ArchiveKnowledge = .init()
    ) async throws -> Agreement {
        let session = try await PostgresConnection.connect(database.configuration, logger: .silent)
        do {
            let reconciliation = try await Reconciliation(store, over: session)
            var archive = OtherArchive(file: "archive-\(fingerprint)", fingerprint: [fingerprint], size: 1)
            for (number, delivery) in deliveries.enumerated() {
                // A part for each delivery: parts must not matter.
                let refused = try await reconciliation.add([
                    OtherDelivery(
                        delivery.verified, receivedAt: hasTimes ? delivery.receivedAt : nil, line: Int64(number + 1))
                ])
                archive.refused += refused
                archive.lines += 1
            }
            let agreement = try await reconciliation.compare(archive, knowing: knowledge)
            await session.close()
            return agreement
        } catch {
            await session.close()
            throw error
        }
    }

    /// The rows of `copy_difference_all`: the columns, separated by spaces.
    func differences(_ columns: String = "outcome") async throws -> [String] {
        try await database.column(
            """
            SELECT concat_ws(' ', \(columns)) FROM attribution.copy_difference_all
             ORDER BY run, file_line NULLS LAST, received_at, transaction_id
            """
        ).compactMap(\.self)
    }
}

extension PostbackDelivery {
    /// The same postback, received at another time.
    func received(at time: PostgresTimestamp) -> PostbackDelivery {
        PostbackDelivery(verified, receivedAt: time)
    }
}

extension Agreement.Counts {
    /// Counts with some changes.
    init(_ change: (inout Agreement.Counts) -> Void) {
        self.init()
        change(&self)
    }
}
