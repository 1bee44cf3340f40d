package import AdAttribution
import StrictJSON

/// What made-up customers really paid and got back, for each day, product, storefront, and so on.
///
/// It is summed from what the customers did. Nothing of it is read from notifications.
package struct AppStoreTruth: Sendable, Equatable {
    /// What is summed together.
    package struct Cell: Sendable, Hashable {
        /// `test` in version 2, whose chains end in a test root; `development` in version 1.
        package let environment: AttributionEnvironment
        /// The day of the purchase, in UTC.
        package let day: String
        /// The app.
        package let bundleID: String
        /// What was bought.
        package let productID: String
        /// Nil in version 1, which does not tell it.
        package let storefront: String?
        /// Nil in version 1.
        package let currency: String?
        /// Whether it is a renewal, and not new.
        package let isRenewal: Bool
    }

    /// The sums; amounts are milliunits, and 0 in version 1, which has no price.
    package struct Sums: Sendable, Hashable {
        /// How many purchases and renewals there are, family shares and trials among them.
        package var transactions: Int64 = 0
        /// How many of them are refunded, or were taken from a family, and are so still.
        package var revoked: Int64 = 0
        /// What was paid.
        package var gross: Int64 = 0
        /// What was given back.
        package var refunded: Int64 = 0
        /// What is left.
        package var net: Int64 { gross - refunded }
    }

    /// The cells in which anything was bought.
    package private(set) var sums: [Cell: Sums] = [:]

    /// Sums what is known of customers.
    ///
    /// - Parameter isKnown: Whether the notification of an event, by the places of customer and event, arrived.
    init(_ customers: [SimulatedCustomer], _ bundleIDs: [String], isKnown: (Int, Int) -> Bool) {
        for (number, customer) in customers.enumerated() {
            let events = customer.events.indices.filter { isKnown(number, $0) }.map { customer.events[$0] }
            let bundleID = bundleIDs[customer.app]
            for (place, isRevoked) in customer.isV1 ? Self.v1(customer, events) : Self.v2(customer, events) {
                let purchase = customer.purchases[place]
                let cell = Cell(
                    environment: customer.isV1 ? .development : .test, day: purchase.at.day, bundleID: bundleID,
                    productID: purchase.product.id(in: bundleID),
                    storefront: customer.isV1 ? nil : customer.storefront.code,
                    currency: customer.isV1 ? nil : customer.storefront.currency, isRenewal: purchase.isRenewal)
                sums[cell, default: Sums()].transactions += 1
                sums[cell, default: Sums()].revoked += isRevoked ? 1 : 0
                // Families pay once, and a trial costs nothing.
                guard !customer.isV1, purchase.owner == 0, purchase.offer != .freeTrial else { continue }
                let gross = purchase.price
                sums[cell, default: Sums()].gross += gross
                guard isRevoked else { continue }
                // Half a milliunit counts as a whole one.
                let share = purchase.refund?.percentage ?? 100_000
                sums[cell, default: Sums()].refunded += (gross * share + 50_000) / 100_000
            }
        }
    }

    /// The purchases that version 2 tells of, and whether the last word about each is that it is revoked.
    private static func v2(_ customer: SimulatedCustomer, _ events: [SimulatedStoreEvent]) -> [Int: Bool] {
        var last: [Int: Moment] = [:]
        for event in events {
            if let place = event.purchase { last[place] = max(last[place] ?? event.at, event.at) }
        }
        return Dictionary(
            uniqueKeysWithValues: last.map { place, moment -> (Int, Bool) in
                guard let refund = customer.purchases[place].refund, refund.at <= moment else { return (place, false) }
                return (place, refund.reversedAt.map { moment < $0 } ?? true)
            })
    }

    /// The purchases that version 1 lists, and whether any list says that it is cancelled: no later one takes it back.
    private static func v1(_ customer: SimulatedCustomer, _ events: [SimulatedStoreEvent]) -> [Int: Bool] {
        var known: [Int: Bool] = [:]
        for event in events where event.name.v1 != nil {
            for place in customer.listed(event) {
                let isCancelled = customer.purchases[place].refund.map { $0.at <= event.at } ?? false
                known[place] = (known[place] ?? false) || isCancelled
            }
        }
        return known
    }

    /// An array of cells in JSON, in order; amounts are milliunits.
    package var json: [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "[")]
        let rows = sums.sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }
        for (number, (cell, sums)) in rows.enumerated() {
            var object = JSONObjectText()
            object.append("environment", cell.environment.rawValue)
            object.append("day", cell.day)
            object.append("bundle_id", cell.bundleID)
            object.append("product_id", cell.productID)
            if let storefront = cell.storefront { object.append("storefront", storefront) }
            if let currency = cell.currency { object.append("currency", currency) }
            object.append("kind", cell.isRenewal ? "renewal" : "new")
            object.append("transactions", sums.transactions)
            object.append("revoked", sums.revoked)
            object.append("gross", sums.gross)
            object.append("refunded", sums.refunded)
            object.append("net", sums.net)
            text += number == 0 ? object.finished() : [UInt8(ascii: ",")] + object.finished()
        }
        return text + [UInt8(ascii: "]")]
    }
}

extension AppStoreTruth.Cell {
    /// What cells are sorted by.
    fileprivate var order: [String] {
        [
            environment.rawValue, day, bundleID, productID, storefront ?? "", currency ?? "",
            isRenewal ? "renewal" : "new",
        ]
    }
}
