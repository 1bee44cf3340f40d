import Foundation

/// The hash of a transaction id, which decides its lane.
///
/// It is the same as `attribution.transaction_hash` in SQL: XOR of the four 32-bit words of the UUID, times an odd
/// number, modulo 2^32. It must never change, because stored rows are found by it.
struct TransactionHash: Sendable, Hashable, Comparable {
    let value: UInt32

    init(_ transactionID: UUID) {
        // XOR does not depend on the byte order, so it is changed once, at the end.
        let combined = withUnsafeBytes(of: transactionID.uuid) { bytes in
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self)
                ^ bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
                ^ bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
                ^ bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
        }
        value = UInt32(bigEndian: combined) &* 1_640_531_527
    }

    init(value: UInt32) {
        self.value = value
    }

    static func < (left: TransactionHash, right: TransactionHash) -> Bool { left.value < right.value }
}
