import PostbackStore

/// How the file descriptors that the process may have open are shared out.
///
/// Connections of clients get what is left over. So descriptors stay in reserve for the admin listener, the database and
/// destinations, however many clients there are.
package struct DescriptorBudget: Equatable, Sendable {
    /// The limit that the process needs: at least the present one, at most the hard one.
    package let limit: Int
    /// The greatest number of connections to the public listener, at least 1.
    package let publicConnections: Int
    /// The greatest number of connections to the admin listener, and of those to its socket.
    package let adminConnections: Int

    /// Descriptors for standard streams, listeners and their event loop, files that are opened for a moment, and
    /// connections that are being refused or closed.
    private static let reserve = 64
    /// What an event loop has open: epoll, an event and a timer.
    private static let perEventLoop = 3
    /// Connections to destinations; if the limit is too low for them, an eighth of what clients and they can have.
    private static let outgoing = 256
    /// The least number of connections to the admin listener.
    private static let leastAdminConnections = 16

    /// Shares out the descriptors.
    /// - Parameters:
    ///   - soft: The present limit.
    ///   - hard: The greatest limit that the process may set.
    ///   - configuration: The connections that are wanted.
    ///   - lanes: The number of lanes of the database.
    ///   - isDistributed: Whether the lanes are on the workers of a cluster.
    ///   - cores: The number of cores: there are as many event loops for postbacks, and as many for the admin listener.
    /// - Returns: nil if nothing is left for clients.
    package init?(
        soft: Int, hard: Int, configuration: ServiceConfiguration, lanes: Int, isDistributed: Bool = false, cores: Int
    ) {
        // Two more connections than lanes, for `/ready` and for new rows of dimensions. To the workers one for each lane,
        // and those that stay open after a lane has moved.
        let database =
            configuration.databaseConnections + StoreConnections.maximumReports
            + min(lanes + 2, StoreConnections.maximumWriters) + (isDistributed ? 2 * lanes : 0)
        let others = Self.reserve + 2 * Self.perEventLoop * cores + database
        let outgoing = configuration.forwarding.isOn ? Self.outgoing : 0
        let adminListeners = configuration.adminSocket == nil ? 1 : 2
        let wanted =
            others + outgoing + configuration.maximumConnections
            + adminListeners * configuration.maximumAdminConnections
        limit = max(soft, min(hard, wanted))
        let left = limit - others - min(outgoing, max(0, limit - others) / 8)
        adminConnections = min(
            configuration.maximumAdminConnections, max(Self.leastAdminConnections, left / 4 / adminListeners))
        publicConnections = min(configuration.maximumConnections, left - adminListeners * adminConnections)
        guard publicConnections >= 1 else { return nil }
    }
}
