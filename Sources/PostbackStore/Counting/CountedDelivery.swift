import AdAttribution
import Foundation

/// A delivery whose dimensions are known: what a batch writes.
struct CountedDelivery: Sendable {
    /// What makes two deliveries the same postback: the key of `attribution.postback_state`, but for the lane.
    struct Key: Sendable, Hashable {
        let transactionID: UUID
        let network: Int16
        let sequenceIndex: Int16
        let didWin: Bool

        /// Hashes what hardly two postbacks share; equality compares all.
        func hash(into hasher: inout Hasher) {
            hasher.combine(transactionID)
            hasher.combine(sequenceIndex)
        }
    }

    let key: Key
    let ids: DimensionIDs
    let delivery: PostbackDelivery

    init(_ delivery: PostbackDelivery, _ ids: DimensionIDs) {
        let postback = delivery.verified.postback
        key = Key(
            transactionID: postback.transactionID.uuid, network: ids.network,
            sequenceIndex: Int16(postback.sequenceIndex.value), didWin: postback.didWin)
        self.ids = ids
        self.delivery = delivery
    }
}
