package import Logging
package import PostgresClient
import Synchronization

/// The connections to the nodes of a Citus cluster that have lanes, and which node has which lane.
///
/// On plain PostgreSQL there are none. The topology is read when a lane is first written to, and again after each error
/// that says that it is another one. A node that can't be reached is tried again every second. What goes on behind a call
/// ends with `close`.
package final class ClusterConnections: Sendable {
    private struct State {
        var shards: [Int16: LaneShard] = [:]
        var nodes: [PostgresAddress: WorkerNode] = [:]
        /// Nodes that have no lane any more, and whose connections are being closed.
        var removed: [WorkerNode] = []
        /// How often the topology was read.
        var readings = 0
        /// Those who wait for the reading that is under way; nil if there is none.
        var readers: [CheckedContinuation<Void, Never>]?
        var isClosed = false
        var batches: [ClusterBatches: Int] = [:]
        var timelineRead: ContinuousClock.Instant?
        var isReadingTimeline = false
    }

    /// The pause before an unreachable node is tried again, and between two looks at the coordinator's timeline.
    private static let pause = Duration.seconds(1)

    private let coordinator: PostgresPool
    private let configuration: PostgresConfiguration
    private let addresses: WorkerAddresses
    private let size: Int
    private let leaseTimeout: Duration
    private let logger: Logger
    private let state = Mutex(State())
    private let tasks = BackgroundTasks()

    /// Makes no connection yet.
    ///
    /// - Parameters:
    ///   - coordinator: Connections to the coordinator.
    ///   - configuration: Where the coordinator is, and how sessions behave; for workers, with their addresses.
    ///   - addresses: The addresses of nodes that are others than the nodes know.
    ///   - size: The greatest number of connections to each node.
    ///   - leaseTimeout: How long to wait for a connection.
    ///   - logger: Gets messages about connections.
    package init(
        coordinator: PostgresPool, _ configuration: PostgresConfiguration, addresses: WorkerAddresses = .init(),
        size: Int, leaseTimeout: Duration = .seconds(5), logger: Logger
    ) {
        self.size = size
        self.coordinator = coordinator
        self.configuration = PostbackStore.writerConfiguration(configuration)
        self.addresses = addresses
        self.leaseTimeout = leaseTimeout
        self.logger = logger
    }

    /// The number of connections to all nodes in each state but closed.
    var connectionState: (idle: Int, busy: Int, connecting: Int) {
        nodes.map(\.pool.state).reduce((0, 0, 0)) { ($0.0 + $1.idle, $0.1 + $1.busy, $0.2 + $1.connecting) }
    }

    /// Counts a batch that was written.
    ///
    /// - Parameter node: The node that has the lane; nil if it is not known.
    func count(_ form: ClusterBatches.Form, on node: PostgresAddress?) {
        state.withLock { $0.batches[ClusterBatches(node: node?.description ?? "unknown", form: form), default: 0] += 1 }
    }

    /// The number of batches that were written, by node and form.
    package var batches: [ClusterBatches: Int] { state.withLock { $0.batches } }

    /// Gives up what is under way, as `PostgresPool.interrupt`.
    func interrupt() {
        for node in state.withLock({ $0.nodes.values + $0.removed }) { node.pool.interrupt() }
    }

    /// Closes the connections, and ends what goes on behind calls; the topology is not read any more.
    ///
    /// - Parameter interrupting: Whether what is under way is given up.
    package func close(interrupting: Bool = false) async {
        let nodes = state.withLock { state in
            defer { (state.shards, state.nodes, state.isClosed) = ([:], [:], true) }
            return state.nodes.values + state.removed
        }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.tasks.close(cancelling: true) }
            for node in nodes { group.addTask { await node.pool.close(interrupting: interrupting) } }
        }
    }

    /// How often the topology was read.
    var readings: Int { state.withLock { $0.readings } }

    /// The nodes that have lanes.
    var nodes: [WorkerNode] { state.withLock { Array($0.nodes.values) } }
}

extension ClusterConnections {
    /// The place of a lane, and how often the topology was read then; it is read if that was never done.
    ///
    /// - Parameter lanes: The lanes of the database.
    /// - Returns: No place if the topology can't be read.
    func shard(of lane: Int16, _ lanes: LaneMap) async -> (shard: LaneShard?, readings: Int) {
        let known = state.withLock { ($0.shards[lane], $0.readings) }
        guard known.1 == 0 else { return known }
        await read(lanes, after: 0)
        return state.withLock { ($0.shards[lane], $0.readings) }
    }

    /// Reads the topology again, unless somebody else has read it since.
    ///
    /// - Parameter readings: How often it had been read when an error said that it is another one.
    func read(_ lanes: LaneMap, after readings: Int) async {
        await withCheckedContinuation { reader in
            let (waits, isFirst) = state.withLock { state in
                guard state.readings == readings, !state.isClosed else { return (false, false) }
                defer { state.readers = (state.readers ?? []) + [reader] }
                return (true, state.readers == nil)
            }
            if !waits { reader.resume() }
            if isFirst, !tasks.start({ await self.read(lanes) }) { endReading() }
        }
    }

    private func endReading() {
        let readers = state.withLock { state in
            defer { state.readers = nil }
            return state.readers ?? []
        }
        for reader in readers { reader.resume() }
    }

    /// The same without waiting for it.
    func readSoon(_ lanes: LaneMap, after readings: Int) {
        tasks.start { await self.read(lanes, after: readings) }
    }

    /// Goes on without a node, until it can be reached again.
    func lose(_ node: WorkerNode, _ lanes: LaneMap) {
        guard node.lose() else { return }
        logger.warning("worker can't be reached: its batches go through the coordinator", metadata: Self.metadata(node))
        watch(node, lanes)
    }

    private func read(_ lanes: LaneMap) async {
        defer { endReading() }
        let numbers = lanes.lanes.map(\.number)
        for pool in [coordinator] + nodes.filter(\.isReachable).map(\.pool) {
            let read = try? await pool.withConnection { try ClusterTopology.read(of: numbers, over: $0) }
            guard let read, !read.places.isEmpty else { continue }
            await use(read, lanes)
            return
        }
        logger.warning("the places of the lanes can't be read: no node of the cluster answers")
    }

    /// Opens connections to nodes that are new, closes those to nodes that have no lane any more, and stores the places.
    private func use(_ topology: ClusterTopology, _ lanes: LaneMap) async {
        let counts = topology.nodes
        for node in addresses.nodes where counts[node] == nil && readings == 0 {
            logger.warning("WORKER_ADDRESSES has a node that has no lane", metadata: ["node": "\(node)"])
        }
        let known = state.withLock { $0.nodes }
        let added = counts.keys.filter { known[$0] == nil }.map { name in
            var (configuration, logger) = (configuration, logger)
            configuration.address = addresses[name]
            logger[metadataKey: "node"] = "\(name)"
            return WorkerNode(
                name,
                PostgresPool(configuration: configuration, size: size, leaseTimeout: leaseTimeout, logger: logger))
        }
        await withTaskGroup { group in
            for node in added { group.addTask { self.show(await node.probe(), of: node) } }
        }
        let closed = state.withLock { state -> [WorkerNode] in
            guard !state.isClosed else { return added }
            for node in added { state.nodes[node.name] = node }
            let closed = state.nodes.values.filter { counts[$0.name] == nil }
            for node in closed { state.nodes[node.name] = nil }
            state.removed += closed
            state.shards = [:]
            for (lane, place) in topology.places {
                guard let node = state.nodes[place.node], let lanes = counts[place.node] else { continue }
                // Nothing is kept of what was known about the lane: an error may have said that it is wrong.
                state.shards[lane] = LaneShard(lane, at: place, on: node, lanes: lanes)
            }
            state.readings += 1
            return closed
        }
        for node in closed {
            if !tasks.start({ await self.remove(node) }) { await remove(node) }
        }
        for node in added where !node.isReachable { watch(node, lanes) }
    }

    private func remove(_ node: WorkerNode) async {
        await node.pool.close()
        state.withLock { $0.removed.removeAll { $0 === node } }
    }

    /// Tries a node every second until it can be reached, or has no lane any more.
    private func watch(_ node: WorkerNode, _ lanes: LaneMap) {
        tasks.start { [self] in
            while (try? await Task.sleep(for: Self.pause)) != nil {
                // It may be known under another address now.
                await read(lanes, after: readings)
                guard state.withLock({ $0.nodes[node.name] }) === node else { return }
                if await node.probe() == .reachable {
                    logger.notice("worker can be reached", metadata: Self.metadata(node))
                    return
                }
            }
        }
    }

    private func show(_ finding: WorkerNode.Finding, of node: WorkerNode) {
        switch finding {
        case .reachable: logger.info("worker can be reached", metadata: Self.metadata(node))
        case .unreachable: logger.warning("worker can't be reached", metadata: Self.metadata(node))
        case .otherNode:
            logger.warning("another node answers at the address of a worker", metadata: Self.metadata(node))
        }
    }

    private static func metadata(_ node: WorkerNode) -> Logger.Metadata { ["node": "\(node.name)"] }
}

extension ClusterConnections {
    /// The nodes to which no batch can be written now, neither directly nor through the coordinator.
    ///
    /// - Parameters:
    ///   - key: A number of this server's own: it checks a node once at a time.
    ///   - limit: The greatest time that it takes, about. What has not answered by then can't be written to.
    /// - Returns: nil if the topology can't be read.
    func outages(_ key: PostgresBindings, within limit: Duration, _ lanes: LaneMap) async -> ClusterOutages? {
        if readings == 0 { _ = await tasks.value(within: limit / 3) { await self.read(lanes, after: 0) } }
        let shards = state.withLock { Array($0.shards.values) }
        let nodes = Dictionary(grouping: shards) { $0.node.name }
        guard !nodes.isEmpty else { return nil }
        return await withTaskGroup(of: LaneOutage?.self) { group in
            for (name, shards) in nodes {
                group.addTask {
                    guard let shard = shards.first, await !self.canWrite(shard, key, within: limit, lanes) else {
                        return nil
                    }
                    return LaneOutage(node: name.description, lanes: shards.map(\.lock.lane).sorted())
                }
            }
            let outages = await group.reduce(into: []) { outages, outage in outage.map { outages.append($0) } }
            return ClusterOutages(
                list: outages.sorted { $0.node < $1.node }, nodes: nodes.keys.map(\.description).sorted())
        }
    }

    /// Whether a batch of a lane could be committed now.
    private func canWrite(
        _ shard: LaneShard, _ key: PostgresBindings, within limit: Duration, _ lanes: LaneMap
    ) async -> Bool {
        let node = shard.node
        if node.isReachable {
            let direct = await tasks.value(within: limit / 2) {
                do {
                    return try await node.canWrite(key, within: limit / 2)
                } catch {
                    if let error = error as? PostgresError, node.isUnreachable(after: error) { self.lose(node, lanes) }
                    return false
                }
            }
            if direct == true { return true }
            // Batches go through the coordinator only if the node can't be reached.
            guard !node.isReachable else { return false }
        }
        var bindings = PostgresBindings()
        bindings.append(shard.lock.lane)
        let (lane, time) = (bindings, limit / 3)
        return await tasks.value(within: time) { [coordinator] in
            let found = try? await coordinator.withTransaction("check_lane", statementTimeout: time) { connection in
                // Citus sends it to the worker only if it knows the lane when it plans.
                try connection.execute(
                    script: "SELECT pg_catalog.set_config('plan_cache_mode', 'force_custom_plan', true)")
                return try connection.query(ShardStatements.checkLane, lane).count
            }
            return found == 1
        } == true
    }

    /// Looks at the coordinator's timeline, at most once a second and without making the caller wait.
    ///
    /// If it is another one, the numbers of dimensions are forgotten: a standby of the coordinator has taken over. While
    /// the coordinator can't be reached, they stay.
    func watchTimeline(of dimensions: DimensionCache) {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            guard !state.isClosed, !state.isReadingTimeline else { return false }
            if let last = state.timelineRead, now - last < Self.pause { return false }
            state.isReadingTimeline = true
            return true
        }
        guard isDue else { return }
        tasks.start { [self] in
            let timeline = try? await coordinator.withConnection { try Timeline.read(over: $0) }
            if let timeline, timeline != .unknown { dimensions.begin(timeline) }
            state.withLock { ($0.isReadingTimeline, $0.timelineRead) = (false, .now) }
        }
    }
}

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
