import PostbackStore
import PostgresClient

import struct Foundation.UUID

/// A body, and who delivered it.
package struct EventBody: Sendable, Equatable {
    /// The body, byte for byte.
    package let payload: [UInt8]
    /// The address that delivered it; nil if it is not kept, or was not asked for.
    package let sourceAddress: String?
    /// The User-Agent that delivered it; nil if it is not kept, or was not asked for.
    package let userAgent: String?
}

/// The bodies of some events, which all have the same day of writing.
///
/// A body is in the lane that has the transaction id now, which need not be the lane of the event: if the number of lanes
/// is changed, bodies move and the log stays. Bodies of two old lanes may then have the same place in a lane.
struct EventBodies: Sendable {
    private struct Key: Hashable {
        let transactionID: UUID
        let place: LogPlace
    }

    private let bodies: [Key: EventBody]

    /// The parts of rows whose bodies are read at once: each of one day, and of a size at most.
    static func chunks(of rows: [LogRow], atMost size: Int) -> [Range<Int>] {
        var chunks: [Range<Int>] = []
        var start = 0
        for index in rows.indices {
            let isLast = index + 1 == rows.count
            guard isLast || index + 1 - start == size || rows[index + 1].place.day != rows[start].place.day else {
                continue
            }
            chunks.append(start..<index + 1)
            start = index + 1
        }
        return chunks
    }

    /// Reads the bodies of rows; there are none if they were dropped.
    ///
    /// - Parameter withOrigin: Whether source addresses and User-Agents are read too.
    init(
        of rows: ArraySlice<LogRow>, withOrigin: Bool = false, in lanes: LaneMap, from pool: PostgresPool
    ) async throws {
        guard let day = rows.first?.place.day else {
            bodies = [:]
            return
        }
        let bindings = Self.bindings(rows, lanes)
        bodies = try await pool.withConnection { connection in
            do throws(PostgresError) {
                let results = try connection.pipeline([
                    PostgresPipelineStep(lanes.isDistributed ? LogStatements.planningOnce : LogStatements.planning),
                    PostgresPipelineStep(LogStatements.bodies(day, withOrigin: withOrigin), bindings),
                ])
                return try Self.read(results[1], rows.count, withOrigin)
            } catch {
                guard error.sqlState == .undefinedTable else { throw error }
                return [:]
            }
        }
    }

    /// The body of an event; nil if it has none, or if it was dropped.
    subscript(row: LogRow) -> EventBody? { bodies[Key(transactionID: row.transactionID, place: row.place)] }

    private static func read(
        _ result: PostgresResult, _ count: Int, _ withOrigin: Bool
    ) throws(PostgresError) -> [Key: EventBody] {
        var bodies: [Key: EventBody] = [:]
        bodies.reserveCapacity(count)
        for row in result {
            var columns = ColumnCursor(row)
            let transactionID = try columns.next(UUID.self)
            let place = try LogPlace(position: columns.next(), ordinal: columns.next()) ?? .beginning
            bodies[Key(transactionID: transactionID, place: place)] = try EventBody(
                payload: columns.next(), sourceAddress: withOrigin ? columns.next(String?.self) : nil,
                userAgent: withOrigin ? columns.next(String?.self) : nil)
        }
        return bodies
    }

    /// The parameters of `LogStatements.bodies`: a run of places for rows that follow each other in a lane.
    private static func bindings(_ rows: ArraySlice<LogRow>, _ lanes: LaneMap) -> PostgresBindings {
        var runs: [(lane: Int16, first: LogPlace, last: LogPlace)] = []
        for row in rows {
            let lane = lanes.number(of: row.transactionID)
            if let last = runs.last, last.lane == lane, last.last < row.place {
                runs[runs.count - 1].last = row.place
            } else {
                runs.append((lane, row.place, row.place))
            }
        }
        var bindings = PostgresBindings()
        bindings.append(runs.map(\.lane))
        bindings.append(runs.map(\.first.position))
        bindings.append(runs.map(\.first.ordinal))
        bindings.append(runs.map(\.last.position))
        bindings.append(runs.map(\.last.ordinal))
        return bindings
    }
}
