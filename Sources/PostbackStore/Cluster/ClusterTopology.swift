import PostgresClient

/// The nodes and the shards that have the lanes of a cluster, as one node knew them at one moment.
struct ClusterTopology: Sendable {
    /// The place of a lane.
    struct Place: Sendable {
        /// The node, as the other nodes know it.
        let node: PostgresAddress
        /// The numbers of the shards of `tables`.
        let shards: [Int64]
        let tables: LaneTables
    }

    /// By lane.
    let places: [Int16: Place]

    /// The nodes, with the number of their lanes.
    var nodes: [PostgresAddress: Int] { places.values.reduce(into: [:]) { $0[$1.node, default: 0] += 1 } }

    /// Reads the places of lanes from the coordinator, or from a worker.
    static func read(of lanes: [Int16], over connection: isolated PostgresConnection) throws -> ClusterTopology {
        var bindings = PostgresBindings()
        bindings.append(lanes)
        var places: [Int16: Place] = [:]
        for row in try connection.query(ShardStatements.topology, bindings) {
            guard let port = UInt16(exactly: try row.decode(Int32.self, at: 2)) else { continue }
            let node = PostgresAddress(host: try row.decode(at: 1), port: port)
            let tables = LaneTables(
                state: try row.decode(at: 8), bodies: try row.decode(at: 9), log: try row.decode(at: 10),
                laneDay: try row.decode(at: 11), importProgress: try row.decode(at: 12))
            let shards = try (3...7).map { try row.decode(Int64.self, at: $0) }
            places[try row.decode(at: 0)] = Place(node: node, shards: shards, tables: tables)
        }
        return ClusterTopology(places: places)
    }
}

/// A node of a cluster whose lanes can't be counted now.
package struct LaneOutage: Sendable, Hashable {
    /// The node as `host:port`, as the other nodes know it.
    package let node: String
    /// Its lanes.
    package let lanes: [Int16]
}

/// What a check of the nodes of a cluster found.
package struct ClusterOutages: Sendable, Equatable {
    /// The nodes whose lanes can't be counted now.
    package let list: [LaneOutage]
    /// All nodes that have lanes, as `host:port`.
    package let nodes: [String]

    /// On plain PostgreSQL there are none.
    static let none = ClusterOutages(list: [], nodes: [])
}
