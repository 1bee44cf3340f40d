import AdAttribution
package import Foundation

/// A delivery with the numbers of its dimensions' rows, ready to be written by a batch.
package struct CountedDelivery: Sendable {
    /// The key of a postback: that of `attribution.postback_state` without the lane.
    package struct Key: Sendable, Hashable {
        package let transactionID: UUID
        package let network: Int16
        package let sequenceIndex: Int16
        package let didWin: Bool

        /// Hashes only the part that is almost always different.
        ///
        /// Equality compares everything.
        package func hash(into hasher: inout Hasher) {
            let halves = withUnsafeBytes(of: transactionID.uuid) { bytes in
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
                    ^ bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            }
            hasher.combine(halves)
        }
    }

    package let key: Key
    package let ids: DimensionIDs
    let delivery: PostbackDelivery

    package init(_ delivery: PostbackDelivery, _ ids: DimensionIDs) {
        let postback = delivery.verified.postback
        key = Key(
            transactionID: postback.transactionID.uuid, network: ids.network,
            sequenceIndex: Int16(postback.sequenceIndex.value), didWin: postback.didWin)
        self.ids = ids
        self.delivery = delivery
    }
}
