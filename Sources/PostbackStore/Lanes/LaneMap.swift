import AdAttribution
import DatabaseSchema
package import Foundation
package import PostgresClient
import Synchronization

/// The lanes of a database, with the share of the hashes that each holds.
///
/// One batch at a time writes a lane. Every row of a lane contains its number.
package struct LaneMap: Sendable, Equatable {
    /// One lane.
    package struct Lane: Sendable, Equatable {
        /// The number in the lane's rows.
        package let number: Int16
        let hashes: ClosedRange<UInt32>
    }

    /// The lanes, in the order of their hashes.
    package let lanes: [Lane]
    /// The numbers of the lanes that are closed: they have events in the log, and no postbacks.
    package let closed: [Int16]
    /// Whether the lanes are distributed over the nodes of a Citus cluster.
    package let isDistributed: Bool

    /// The number of lanes, at least 1.
    package var count: Int { lanes.count }

    /// About how many databases share the lanes, at least 1: the workers, if the lanes are distributed.
    package var databases: Int {
        isDistributed ? max(1, lanes.count / DistributionPlan.lanesPerWorker) : 1
    }

    /// Takes the lanes that the database has.
    ///
    /// - Parameters:
    ///   - lanes: The lanes that are not closed.
    ///   - closed: The numbers of those that are.
    ///   - isDistributed: Whether they are distributed over the nodes of a Citus cluster.
    /// - Throws: `SchemaError.lanes` if the shares overlap or do not contain every hash.
    init(_ lanes: [Lane], closed: [Int16] = [], isDistributed: Bool = false) throws(SchemaError) {
        let sorted = lanes.sorted { $0.hashes.lowerBound < $1.hashes.lowerBound }
        var next: UInt64 = 0
        for lane in sorted {
            guard UInt64(lane.hashes.lowerBound) == next else { throw .lanes }
            next = UInt64(lane.hashes.upperBound) + 1
        }
        guard next == 1 << 32 else { throw .lanes }
        self.lanes = sorted
        self.closed = closed
        self.isDistributed = isDistributed
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

    /// The number of the lane of a transaction id.
    package func number(of transactionID: UUID) -> Int16 { lanes[index(of: transactionID)].number }

    /// The index of the lane of a postback, 0 ..< `count`.
    package func index(of delivery: PostbackDelivery) -> Int {
        index(of: delivery.postback.transactionID.uuid)
    }

    /// The index of the lane of a transaction id, 0 ..< `count`.
    package func index(of transactionID: UUID) -> Int {
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

extension LaneMap {
    /// Reads the lanes of a database.
    ///
    /// - Throws: `SchemaError.lanes`, or an error of the database.
    static func read(over connection: isolated PostgresConnection) throws -> LaneMap {
        var lanes: [Lane] = []
        var closed: [Int16] = []
        for row in try connection.query(LaneStatements.select) {
            let number = try row.decode(Int16.self, at: 0)
            guard try !row.decode(Bool.self, at: 3) else {
                closed.append(number)
                continue
            }
            guard let first = UInt32(exactly: try row.decode(Int64.self, at: 1)),
                let last = UInt32(exactly: try row.decode(Int64.self, at: 2)), first <= last
            else { throw SchemaError.lanes }
            lanes.append(Lane(number: number, hashes: first...last))
        }
        return try LaneMap(lanes, closed: closed, isDistributed: Schema.isDistributed(over: connection))
    }
}

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

extension PostbackStore {
    /// The lanes of the database, which are read once.
    ///
    /// - Throws: `SchemaError.lanes`, or an error of the database.
    package func lanes() async throws -> LaneMap {
        if let lanes = shared.lanes { return lanes }
        let lanes = try await pool.withConnection { try LaneMap.read(over: $0) }
        shared.lanes = lanes
        return lanes
    }

    /// Today in UTC, by this server's clock.
    package var today: PostgresDate { PostgresDate(clock()) }
}

/// The day of writing of each lane, as far as this server knows it.
///
/// The day only moves forward. The database decides: it refuses a batch of an earlier day, and it does not move a lane
/// beyond tomorrow by its own clock.
final class WritingDays: Sendable {
    private struct Entry {
        /// The day that the database returned.
        let day: PostgresDate
        /// The database must be asked again when this server's clock is beyond this day.
        let asked: PostgresDate
    }

    private let entries = Mutex<[Int16: Entry]>([:])

    /// The day for the next batch of a lane; nil if the database must be asked first.
    ///
    /// - Parameter today: Today by this server's clock. The lane's day can be later, if this clock is behind, and
    ///   earlier, if this clock is far ahead.
    func day(of lane: Int16, today: PostgresDate) -> PostgresDate? {
        entries.withLock { entries in
            guard let entry = entries[lane], today <= entry.asked else { return nil }
            return entry.day
        }
    }

    /// Stores the day that the database returned when this server's clock showed `today`.
    func set(_ day: PostgresDate, of lane: Int16, asked today: PostgresDate) {
        entries.withLock { $0[lane] = Entry(day: day, asked: max(day, today)) }
    }
}
