import Foundation
import PostgresClient

/// One round of deliveries, at most one of each key, against the rows that the statement which counts them returns: only
/// those where something changed.
struct OfferedRound {
    private let offers: [PendingDeliveries.Offer]
    /// The first delivery of each transaction id.
    private var places: [UUID: Int] = [:]

    /// Deliveries sorted by key, which begins with the transaction id.
    init(_ offers: [PendingDeliveries.Offer]) {
        self.offers = offers
        places.reserveCapacity(offers.count)
        for (place, offer) in offers.enumerated().reversed() { places[offer.key.transactionID] = place }
    }

    /// What the deliveries did, by key, but for those that did nothing.
    func outcomes(_ rows: PostgresResult) throws -> [PostbackKeyColumns: DeliveryOutcome] {
        var outcomes: [PostbackKeyColumns: DeliveryOutcome] = [:]
        outcomes.reserveCapacity(rows.count)
        for row in rows {
            guard let key = try key(of: row) else { continue }
            switch try row.decode(Int16.self, at: PostbackKeyColumns.count) {
            case CountingStatement.accepted: outcomes[key] = .accepted
            case CountingStatement.raised: outcomes[key] = .raised
            default: outcomes[key] = .conflict
            }
        }
        return outcomes
    }

    /// The key of a row: nearly always the transaction id alone tells it.
    private func key(of row: PostgresRow) throws -> PostbackKeyColumns? {
        let id = try row.decode(UUID.self, at: 0)
        guard let place = places[id] else { return nil }
        if place + 1 == offers.count || offers[place + 1].key.transactionID != id { return offers[place].key }
        var columns = ColumnCursor(row)
        let key = try PostbackKeyColumns(&columns)
        return offers[place...].first { $0.key == key }?.key
    }
}
