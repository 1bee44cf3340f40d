import AdAttribution
import Foundation

/// The lanes of a database, with the share of the hashes that each holds.
///
/// One batch at a time writes a lane. Every row of a lane contains its number.
public struct LaneMap: Sendable, Equatable {
    /// One lane.
    struct Lane: Sendable, Equatable {
        /// The number in the lane's rows.
        let number: Int16
        let hashes: ClosedRange<UInt32>
    }

    /// The lanes, in the order of their hashes.
    let lanes: [Lane]

    /// The number of lanes, at least 1.
    public var count: Int { lanes.count }

    /// Takes the lanes that the database has.
    ///
    /// - Throws: `SchemaError.lanes` if the shares overlap or do not contain every hash.
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

    /// Lanes with equal shares, numbered from 0.
    ///
    /// - Parameter count: The number of lanes, 1 to 1,024.
    static func equalShares(_ count: Int) -> [Lane] {
        let bounds = (0...UInt64(count)).map { ($0 << 32) / UInt64(count) }
        return zip(bounds, bounds.dropFirst()).enumerated().map { index, bounds in
            Lane(number: Int16(index), hashes: UInt32(bounds.0)...UInt32(bounds.1 - 1))
        }
    }

    /// The index of the lane of a postback, 0 ..< `count`.
    public func index(of delivery: PostbackDelivery) -> Int {
        index(of: delivery.verified.postback.transactionID.uuid)
    }

    /// The index of the lane of a transaction id, 0 ..< `count`.
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
