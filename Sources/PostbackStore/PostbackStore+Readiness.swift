import DatabaseSchema
import PostgresClient

extension PostbackStore {
    /// Checks that a postback could be stored now: the tables are those of this build, and a batch could be committed.
    ///
    /// The definitions may be newer: a later version may have migrated while this server runs.
    ///
    /// It uses a connection for batches, and waits neither for a batch nor for a lane's lock. While an earlier check of
    /// this server has not ended in the database, it fails: that one may wait for a synchronous standby.
    ///
    /// On a cluster one worker is enough: if another one is down, its lanes wait and the others go on. The coordinator may
    /// be down too, since postbacks of known lines are counted without it. If a worker can't be reached from here, its
    /// batches go through the coordinator, so that is checked.
    ///
    /// - Parameter limit: The greatest time that each statement may take.
    /// - Returns: The nodes of a cluster whose lanes can't be counted.
    /// - Throws: `SchemaError`, `MissingRights`, `NoLaneWritable`, or an error of the database.
    package func checkReadiness(within limit: Duration) async throws -> ClusterOutages {
        let lanes = try await lanes()
        guard lanes.isDistributed, let cluster else {
            try await checkSchemaAndRights(within: limit)
            try await checkWriting(within: limit, lanes)
            return .none
        }
        let schema = Task { await Result { try await checkSchemaAndRights(within: limit) } }
        guard let outages = await cluster.outages(checkKey, within: limit, lanes) else {
            try await schema.value.get()
            try await checkWriting(within: limit, lanes)
            return .none
        }
        // While the coordinator can't be reached, nobody changes the schema.
        if case .failure(let error)? = await schema.value(within: limit / 2) {
            if error is SchemaError || error is MissingRights { throw error }
        }
        guard outages.list.count < outages.nodes.count else { throw NoLaneWritable() }
        return outages
    }

    /// Reads which worker of a cluster has which lane, and connects to the workers; on plain PostgreSQL it does nothing.
    ///
    /// Otherwise the first batch does so.
    package func connectToWorkers() async throws {
        let lanes = try await lanes()
        if lanes.isDistributed { await cluster?.read(lanes, after: 0) }
    }

    /// A number of this server's own.
    private var checkKey: PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(shared.checkKey)
        return bindings
    }

    /// The migrations first: what a newer version needs is not missing in the older schema.
    private func checkSchemaAndRights(within limit: Duration) async throws {
        do {
            try await checkSchema(within: limit, isRunning: true)
            try await checkRights(ServiceRights.storing, within: limit)
        } catch {
            throw await explained(error)
        }
    }

    private func checkWriting(within limit: Duration, _ lanes: LaneMap) async throws {
        let key = checkKey
        try await writers.withTransaction("check_writing", statementTimeout: limit) { connection in
            _ = try connection.query(LaneStatements.lockCheck, key)
            _ = try connection.query(LaneStatements.lockRow)
            if !lanes.isDistributed { _ = try connection.query(LaneStatements.lockTable) }
        }
    }
}

/// Postbacks of no lane of a cluster can be counted now.
package struct NoLaneWritable: Error, CustomStringConvertible {
    /// The same in words.
    package let description = "no lane of the cluster can be written to"
}

extension Result where Success: Sendable, Failure == any Error {
    /// What a body returns or throws.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
