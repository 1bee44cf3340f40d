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
