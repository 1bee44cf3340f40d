/// A kind of batches on a cluster: the node that has their lane, and the form in which they reach it.
public struct ClusterBatches: Sendable, Hashable {
    /// How a batch reaches its node.
    public enum Form: String, Sendable, CaseIterable {
        /// The server writes it there.
        case direct
        /// The coordinator passes it on.
        case coordinator
    }

    /// The node as `host:port`, as the other nodes know it; `unknown` if the topology could not be read.
    public let node: String
    /// How they reach it.
    public let form: Form
}
