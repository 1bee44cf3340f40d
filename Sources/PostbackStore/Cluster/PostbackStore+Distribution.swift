import PostgresClient

extension PostbackStore {
    /// The greatest time that a step of distributing may take.
    private static var stepTimeout: Duration { .seconds(7 * 24 * 3_600) }

    /// Looks at the cluster whose coordinator this database is, and says what `distribute` would do.
    ///
    /// - Parameter lanes: The number of lanes, 1 to 1,024; nil for the present one if the tables are distributed, else
    ///   for eight a worker.
    /// - Throws: An error of the database. What speaks against it is in the plan.
    package func distributionPlan(lanes wanted: Int? = nil) async throws -> DistributionPlan {
        let map = try await lanes()
        return try await pool.withConnection { connection in
            var plan = DistributionPlan()
            plan.isDistributed = map.isDistributed
            plan.presentLanes = map.count
            plan.lanes = wanted ?? map.count
            guard try connection.query(ClusterStatements.hasExtension).first?.decode(Bool.self, at: 0) == true else {
                plan.refusals.append("the extension citus is not in this database: run CREATE EXTENSION citus")
                return plan
            }
            try plan.readNodes(over: connection)
            plan.lanes =
                wanted ?? (map.isDistributed ? map.count : DistributionPlan.lanesPerWorker * plan.workers.count)
            plan.postbacks = try connection.query(ClusterStatements.postbacks).first?.decode(at: 0) ?? 0
            guard plan.refusals.isEmpty else { return plan }
            try plan.readSettings(over: connection)
            let fit = try connection.query(ClusterStatements.lanesFit, bindings(Int64(plan.lanes)))
            plan.changesLanes = try fit.first?.decode(Bool.self, at: 0) != true
            return plan
        }
    }

    /// Distributes the tables that grow with postbacks over the cluster.
    ///
    /// If the number of lanes changes, the log is folded, and postbacks move to new lanes. All of it is one transaction,
    /// with a recount before it and one at its end. Sessions that are open must be opened again afterwards.
    ///
    /// - Throws: `DistributionError`, `DistributionDifference`, or an error of the database; then nothing has changed.
    package func distribute(_ plan: DistributionPlan) async throws -> DistributionResult {
        try plan.check()
        if plan.changesLanes {
            try await fold(waits: true)
            try await foldAnswers(waits: true)
        }
        let number = Int32(plan.lanes)
        let result = try await recounting("distribute") { connection in
            if plan.changesLanes {
                if plan.isDistributed { _ = try connection.query(ClusterStatements.undistribute) }
                _ = try connection.query(ClusterStatements.changeLanes, bindings(number))
            }
            _ = try connection.query(ClusterStatements.distribute, bindings(number))
        }
        try await pool.withTransaction("distribute_truncate", statementTimeout: Self.stepTimeout) { connection in
            _ = try connection.query(ClusterStatements.truncate)
        }
        return result
    }

    /// Puts all rows of the cluster back on the coordinator.
    ///
    /// The lanes stay. It is one transaction, with a recount before it and one at its end.
    ///
    /// - Throws: `DistributionError`, `DistributionDifference`, or an error of the database; then nothing has changed.
    package func undistribute() async throws -> DistributionResult {
        let isDistributed = try await lanes().isDistributed
        var reasons = isDistributed ? [] : ["the tables are not distributed"]
        reasons += try await pool.withConnection { try Self.running(over: $0) }
        guard reasons.isEmpty else { throw DistributionError(reasons: reasons) }
        return try await recounting("undistribute") { connection in
            _ = try connection.query(ClusterStatements.undistribute)
        }
    }

    /// Runs a change in a transaction that is committed only if the recount finds the same before and after it.
    private func recounting(
        _ name: StaticString, _ change: @Sendable (isolated PostgresConnection) throws -> Void
    ) async throws -> DistributionResult {
        // In a transaction of its own: after a query of several shards Citus would not distribute tables.
        let before = try await pool.withTransaction("recount", statementTimeout: Self.stepTimeout) { connection in
            try Self.recount(over: connection)
        }
        let result = try await pool.withTransaction(name, statementTimeout: Self.stepTimeout) { connection in
            try change(connection)
            let after = try Self.recount(over: connection)
            guard after == before else { throw DistributionDifference(before: before.count, after: after.count) }
            return DistributionResult(differences: after.count)
        }
        shared.lanes = nil
        return result
    }

    /// The rows of figures that differ from the postbacks: their number, and a digest.
    private static func recount(over connection: isolated PostgresConnection) throws -> (count: Int64, digest: String) {
        // Sessions that are opened after `distribute` have the setting from the database.
        try connection.execute(
            script: """
                ANALYZE attribution.postback_state;
                SELECT pg_catalog.set_config('citus.local_table_join_policy', 'prefer-distributed', true)
                """)
        guard let row = try connection.query(ClusterStatements.recount).first else { return (0, "") }
        return (try row.decode(at: 0), try row.decode(at: 1))
    }

    /// Says so if a server or a command is running.
    fileprivate static func running(over connection: isolated PostgresConnection) throws -> [String] {
        let sessions = try connection.query(ClusterStatements.sessions).first?.decode(Int64.self, at: 0) ?? 0
        return sessions > 0 ? ["\(sessions) sessions of servers or commands are open: stop them first"] : []
    }

    private func bindings(_ number: some PostgresEncodable) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(number)
        return bindings
    }
}

extension DistributionPlan {
    fileprivate mutating func readNodes(over connection: isolated PostgresConnection) throws {
        workers = try connection.query(ClusterStatements.workers).map { try $0.decode(String.self, at: 0) }
        if let row = try connection.query(ClusterStatements.coordinator).first {
            if try !row.decode(Bool.self, at: 0) { refusals.append("this node is not the coordinator") }
            if try !row.decode(Bool.self, at: 1) {
                refusals.append("the workers do not know the coordinator: run SELECT citus_set_coordinator_host(…)")
            }
        }
        if workers.isEmpty { refusals.append("there is no worker: run SELECT citus_add_node(…)") }
        refusals += try PostbackStore.running(over: connection)
    }

    fileprivate mutating func readSettings(over connection: isolated PostgresConnection) throws {
        for (node, prepared) in try Self.setting("max_prepared_transactions", over: connection) {
            switch prepared {
            case nil: refusals.append("\(node) can't be reached")
            case "0": refusals.append("\(node) has max_prepared_transactions = 0: commits on two nodes need more")
            default: break
            }
        }
        for (node, level) in try Self.setting("wal_level", over: connection) where level != nil && level != "logical" {
            advice.append(
                "\(node) has wal_level = \(level ?? ""): with logical, shards can be moved while they are written")
        }
        let shardsOfWorker = (lanes + workers.count - 1) / max(1, workers.count)
        for (node, cached) in try Self.setting("citus.max_cached_conns_per_worker", over: connection) {
            guard let cached = cached.flatMap({ Int($0) }), cached < min(shardsOfWorker, 8) else { continue }
            advice.append(
                "\(node) has citus.max_cached_conns_per_worker = \(cached): reports open connections less often with "
                    + "\(shardsOfWorker)")
        }
    }

    private static func setting(
        _ name: String, over connection: isolated PostgresConnection
    ) throws -> [(node: String, value: String?)] {
        var bindings = PostgresBindings()
        bindings.append(name)
        return try connection.query(ClusterStatements.setting, bindings).map { row in
            (node: try row.decode(at: 0), value: try row.decode(at: 1))
        }
    }
}
