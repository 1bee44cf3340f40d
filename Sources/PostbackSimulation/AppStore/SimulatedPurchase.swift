/// A made-up purchase, which becomes a transaction of the App Store.
///
/// It holds all that ever happens to it. What a notification says of it depends on the moment.
struct SimulatedPurchase: Sendable {
    /// A lower price.
    enum Offer: Sendable {
        /// A week for nothing.
        case freeTrial
        /// The first period for half the price.
        case introductory
        /// Half the price for somebody who comes back.
        case promotional
    }

    /// A refund, or the end of a family share.
    struct Refund: Sendable {
        let at: Moment
        /// `revocationType`; nil as in transactions before December 2025.
        let type: String?
        /// Thousandths of a percent; nil if all is given back.
        let percentage: Int64?
        /// `revocationReason`: 1 for a problem of the app.
        let reason: Int64
        /// When the App Store took the refund back; nil if it did not.
        ///
        /// Only version 2 tells of it.
        let reversedAt: Moment?
    }

    let product: SimulatedProduct
    /// Who has it: 0 for the customer, another number for each member of the family.
    let owner: Int
    /// The place of the first purchase of the same subscription, else its own.
    let original: Int
    let at: Moment
    /// Nil if it is no subscription.
    let expiresAt: Moment?
    let quantity: Int64
    /// The price of all of it, in milliunits of the storefront's currency.
    let price: Int64
    let isRenewal: Bool
    let offer: Offer?
    /// Nil if it is never refunded.
    var refund: Refund?
    /// When a dearer subscription replaced it; nil if none did.
    var upgradedAt: Moment?

    /// Whether the family shares it.
    var isShared: Bool { owner > 0 }

    /// The refund that version 2 shows at a moment.
    func refund(at moment: Moment) -> Refund? {
        guard let refund, refund.at <= moment, refund.reversedAt.map({ $0 > moment }) ?? true else { return nil }
        return refund
    }
}
