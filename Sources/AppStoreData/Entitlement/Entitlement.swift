/// Whether a customer may use a product, or a product of a subscription group.
///
/// Each product and each subscription group has one of three states.
/// Source: Apple, WWDC22, "Implement proactive in-app purchase restore".
package struct Entitlement: Sendable, Hashable {
    /// What may be used.
    package enum Subject: Sendable, Hashable {
        /// A product, by its id.
        case product(String)
        /// Any product of a subscription group, by the group's id.
        case group(String)
    }

    /// The three states of a customer.
    package enum State: String, Sendable {
        /// Never bought.
        case new
        /// Bought, and neither expired nor revoked.
        case active
        /// Bought before, and now expired or revoked.
        case inactive
    }

    /// What may be used.
    package let subject: Subject
    /// Whether.
    package let state: State

    /// Takes both.
    package init(subject: Subject, state: State) {
        self.subject = subject
        self.state = state
    }
}

/// What a customer may use at a time, by product and by subscription group.
///
/// A subscription in its grace period is active. One in billing retry without a grace period is inactive. Consumables
/// are used up, so they give nothing that lasts. A non-renewing subscription without an end is active until it is
/// revoked: only the app knows how long it lasts.
/// - Parameters:
///   - transactions: Those of one customer in one app and environment, each once.
///   - renewal: What is to become of the customer's subscriptions.
///   - at: Milliseconds since 1970. What was bought later is left out.
///   - products: Products that are `new` if there is no transaction of them.
///   - groups: Subscription groups that are `new` if there is no transaction of them.
/// - Returns: Products in the order of their ids, then groups.
package func entitlement(
    transactions: [StoreTransaction], renewal: [StoreRenewal], at: Int64, products: [String] = [],
    groups: [String] = []
) -> [Entitlement] {
    let bought = transactions.filter { $0.purchasedAt <= at && $0.type != "Consumable" }
    // A period that was left for a higher plan has an end that nobody waits for.
    let lastEnds = Dictionary(
        bought.filter { !$0.isUpgraded }.map { ($0.originalTransactionID, $0.expiresAt ?? .max) },
        uniquingKeysWith: { max($0, $1) })

    func isActive(_ transaction: StoreTransaction) -> Bool {
        guard !transaction.isUpgraded, transaction.revokedAt.map({ $0 > at }) ?? true else { return false }
        guard let end = transaction.expiresAt, end <= at else { return true }
        // A grace period is that of the last period.
        guard lastEnds[transaction.originalTransactionID] == end else { return false }
        return renewal.contains {
            $0.originalTransactionID == transaction.originalTransactionID && ($0.gracePeriodExpiresAt ?? at) > at
        }
    }

    var productStates = Dictionary(products.map { ($0, Entitlement.State.new) }, uniquingKeysWith: { $1 })
    var groupStates = Dictionary(groups.map { ($0, Entitlement.State.new) }, uniquingKeysWith: { $1 })
    for transaction in bought {
        let state: Entitlement.State = isActive(transaction) ? .active : .inactive
        if productStates[transaction.productID] != .active { productStates[transaction.productID] = state }
        guard let group = transaction.subscriptionGroup, groupStates[group] != .active else { continue }
        groupStates[group] = state
    }
    return productStates.sorted { $0.key < $1.key }.map { Entitlement(subject: .product($0.key), state: $0.value) }
        + groupStates.sorted { $0.key < $1.key }.map { Entitlement(subject: .group($0.key), state: $0.value) }
}
