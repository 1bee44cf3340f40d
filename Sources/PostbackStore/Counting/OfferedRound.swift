import Foundation
import PostgresClient

/// One round of deliveries, at most one of each key and sorted by key, against the rows that the statement which wrote
/// them returns: only those where something changed, in the same order.
///
/// PostgreSQL 15 has no "old" values in RETURNING, so the row itself keeps the previous ones. Of a new row nothing but
/// its key is sent.
struct OfferedRound {
    /// What a delivery did to its row.
    enum Change {
        case inserted
        case raised(StoredPostback)
        case conflicted(StoredPostback)
    }

    /// Whether a written row was there before: an insert leaves neither a raise nor a conflict behind, and an update
    /// always leaves one of them.
    static let isUpdated = "raised_at IS NOT NULL OR conflicts > 0"

    /// The columns that a row is read from.
    static let columns: String = {
        let updated = StoredPostback.expressions.map { "CASE WHEN \(isUpdated) THEN \($0) END" }
        return "\(PostbackKeyColumns.columns), \(isUpdated), \(updated.joined(separator: ", "))"
    }()

    private let offers: [PendingDeliveries.Offer]
    private var cursor = 0

    init(_ offers: [PendingDeliveries.Offer]) {
        self.offers = offers
    }

    /// What a returned row tells; nil for a row of no delivery.
    mutating func change(_ row: PostgresRow) throws -> (key: PostbackKeyColumns, change: Change)? {
        guard let offer = try offer(of: row) else { return nil }
        var columns = ColumnCursor(row, at: PostbackKeyColumns.count)
        let isUpdated: Bool = try columns.next()
        guard isUpdated else { return (offer.key, .inserted) }
        let stored = try StoredPostback(offer.key, &columns)
        // An update that raised made the offered value the current one, which a conflict never does.
        let isRaised = stored.value == StoredPostback.StoredValue(offer.delivery)
        return (offer.key, isRaised ? .raised(stored) : .conflicted(stored))
    }

    /// The delivery of a row: nearly always the next one whose transaction id it has, and that alone has it.
    private mutating func offer(of row: PostgresRow) throws -> PendingDeliveries.Offer? {
        let id = try row.decode(UUID.self, at: 0)
        let hasID = { (offer: PendingDeliveries.Offer) in offer.key.transactionID == id }
        guard let first = offers[cursor...].firstIndex(where: hasID) ?? offers[..<cursor].firstIndex(where: hasID)
        else { return nil }
        cursor = first
        let isAlone =
            !(first + 1 < offers.count && hasID(offers[first + 1])) && !(first > 0 && hasID(offers[first - 1]))
        if isAlone { return offers[first] }
        var columns = ColumnCursor(row)
        let key = try PostbackKeyColumns(&columns)
        return offers.first { $0.key == key }
    }
}
