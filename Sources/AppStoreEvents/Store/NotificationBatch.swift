import AdAttribution
import AppStoreData
import PostgresClient

/// A batch of notifications of one lane, which one transaction stores.
///
/// A notification counts once by environment and id. A later delivery of it is a duplicate. If its body is another one,
/// its transactions and its renewal info are offered again: they change nothing unless they are newer.
struct NotificationBatch: Sendable {
    private let deliveries: [NotificationDelivery]
    private let lane: Int16
    private let accountKey: HMACKey?

    /// Takes deliveries in order of arrival.
    init(_ deliveries: [NotificationDelivery], lane: Int, accountKey: HMACKey?) {
        self.deliveries = deliveries
        self.lane = Int16(truncatingIfNeeded: lane)
        self.accountKey = accountKey
    }

    /// Stores the batch in a transaction that has begun, and returns the outcome of each delivery.
    ///
    /// Locks are taken in one order: the lane, products, notifications, renewals, transactions, each of them sorted.
    func write(over connection: isolated PostgresConnection) throws -> [NotificationOutcome] {
        let found = try connection.pipeline([
            NotificationStatements.lock(lane), NotificationStatements.find(deliveries),
        ])
        guard found.count == 2, let row = found[0].first else { throw StoreLaneError.missing(lane: lane) }
        let sorting = try Sorting(deliveries, known: found[1], lane: lane, after: row.decode(Int64.self, at: 0))
        let steps = steps(sorting)
        if !steps.isEmpty { try connection.pipeline(steps) }
        return sorting.outcomes
    }

    private func steps(_ sorting: Sorting) -> [PostgresPipelineStep] {
        let transactions = sorting.offered.flatMap { delivery in
            delivery.notification.transactions.map {
                OfferedTransaction($0, receivedAt: delivery.receivedAt, accountKey: accountKey)
            }
        }
        let renewals = sorting.offered.flatMap(OfferedRenewal.all(of:))
        var steps: [PostgresPipelineStep] = []
        if !transactions.isEmpty || !renewals.isEmpty {
            steps.append(ProductStatements.add(for: transactions, renewals))
        }
        if let last = sorting.new.last {
            steps += [NotificationStatements.add(sorting.new), NotificationStatements.move(lane, to: last.position)]
        }
        if !sorting.offered.isEmpty { steps.append(NotificationStatements.keepBodies(of: sorting.offered)) }
        if !renewals.isEmpty { steps.append(OfferedRenewal.table.step(renewals)) }
        if !transactions.isEmpty { steps.append(OfferedTransaction.table.step(transactions)) }
        return steps
    }
}

extension NotificationBatch {
    /// The deliveries by what is to be done with them.
    fileprivate struct Sorting {
        private(set) var outcomes: [NotificationOutcome] = []
        /// The first deliveries of their ids.
        private(set) var new: [NotificationStatements.Placed] = []
        /// The deliveries of bodies that are new.
        private(set) var offered: [NotificationDelivery] = []

        /// Sorts deliveries, of which the database knows some, by an ordinal from 1 and the digest of the first body.
        init(
            _ deliveries: [NotificationDelivery], known: PostgresResult, lane: Int16, after position: Int64
        ) throws {
            var bodies: [NotificationDelivery.Key: Set<[UInt8]>] = [:]
            for row in known {
                guard let place = Int(exactly: try row.decode(Int64.self, at: 0) - 1),
                    deliveries.indices.contains(place)
                else { continue }
                bodies[deliveries[place].key, default: []].insert(try row.decode([UInt8]?.self, at: 1) ?? [])
            }
            var position = position
            for delivery in deliveries {
                if bodies[delivery.key] == nil {
                    position += 1
                    new.append(NotificationStatements.Placed(delivery: delivery, lane: lane, position: position))
                    outcomes.append(.accepted)
                } else {
                    outcomes.append(.duplicate)
                }
                if bodies[delivery.key, default: []].insert(delivery.bodySHA256).inserted { offered.append(delivery) }
            }
        }
    }
}
