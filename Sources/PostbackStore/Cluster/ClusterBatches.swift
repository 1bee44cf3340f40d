/// A kind of batches on a cluster: the node that has their lane, and the form in which they reach it.
package struct ClusterBatches: Sendable, Hashable {
    /// How a batch reaches its node.
    package enum Form: String, Sendable, CaseIterable {
        /// The server writes it there.
        case direct
        /// The coordinator passes it on.
        case coordinator
    }

    /// The node as `host:port`, as the other nodes know it; `unknown` if the topology could not be read.
    package let node: String
    /// How they reach it.
    package let form: Form
}
