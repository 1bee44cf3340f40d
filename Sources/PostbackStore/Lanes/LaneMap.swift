import AdAttribution
import Foundation

/// The lanes of a database: which share of the hashes each holds.
///
/// A lane is written by one batch at a time. Its number is part of every row that belongs to it.
public struct LaneMap: Sendable, Equatable {
    /// One lane.
    struct Lane: Sendable, Equatable {
        /// The number under which rows are stored.
        let number: Int16
        let hashes: ClosedRange<UInt32>
    }

    /// The lanes, in the order of their hashes.
    let lanes: [Lane]

    /// How many lanes there are, at least 1.
    public var count: Int { lanes.count }

    /// The lanes out of their rows.
    ///
    /// - Throws: `SchemaError.lanes` if the shares overlap or leave hashes out.
    init(_ lanes: [Lane]) throws(SchemaError) {
        let sorted = lanes.sorted { $0.hashes.lowerBound < $1.hashes.lowerBound }
        var next: UInt64 = 0
        for lane in sorted {
            guard UInt64(lane.hashes.lowerBound) == next else { throw .lanes }
            next = UInt64(lane.hashes.upperBound) + 1
        }
        guard next == 1 << 32 else { throw .lanes }
        self.lanes = sorted
    }

    /// Equal shares for so many lanes, numbered from 0.
    ///
    /// - Parameter count: 1 to 1,024.
    static func equalShares(_ count: Int) -> [Lane] {
        let bounds = (0...UInt64(count)).map { ($0 << 32) / UInt64(count) }
        return zip(bounds, bounds.dropFirst()).enumerated().map { index, bounds in
            Lane(number: Int16(index), hashes: UInt32(bounds.0)...UInt32(bounds.1 - 1))
        }
    }

    /// The index of the lane that a postback belongs to, 0 ..< `count`.
    public func index(of delivery: PostbackDelivery) -> Int {
        index(of: delivery.verified.postback.transactionID.uuid)
    }

    /// The index of the lane that a transaction id belongs to, 0 ..< `count`.
    func index(of transactionID: UUID) -> Int {
        let hash = TransactionHash(transactionID).value
        var low = 0
        var high = lanes.count - 1
        while low < high {
            let middle = (low + high) / 2
            if lanes[middle].hashes.upperBound < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
