import AdAttribution
import Foundation

/// A delivery with the numbers of its dimensions' rows, ready to be written by a batch.
struct CountedDelivery: Sendable {
    /// The key of a postback: that of `attribution.postback_state` without the lane.
    struct Key: Sendable, Hashable {
        let transactionID: UUID
        let network: Int16
        let sequenceIndex: Int16
        let didWin: Bool

        /// Hashes only the part that is almost always different.
        ///
        /// Equality compares everything.
        func hash(into hasher: inout Hasher) {
            let halves = withUnsafeBytes(of: transactionID.uuid) { bytes in
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
                    ^ bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            }
            hasher.combine(halves)
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
