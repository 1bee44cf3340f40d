/// A node of a cluster whose lanes can't be counted now.
public struct LaneOutage: Sendable, Hashable {
    /// The node as `host:port`, as the other nodes know it.
    public let node: String
    /// Its lanes.
    public let lanes: [Int16]
}

/// What a check of the nodes of a cluster found.
public struct ClusterOutages: Sendable, Equatable {
    /// The nodes whose lanes can't be counted now.
    public let list: [LaneOutage]
    /// All nodes that have lanes, as `host:port`.
    public let nodes: [String]

    /// On plain PostgreSQL there are none.
    static let none = ClusterOutages(list: [], nodes: [])
}
