package import DatabaseSchema
package import PostgresClient

extension PostbackStore {
    /// Checks that the role of the sessions has rights: all that the service needs, unless only some are asked for.
    ///
    /// On a cluster it asks the coordinator, whose rights Citus gives to the shards.
    ///
    /// - Parameter limit: The greatest time that the statement may take; nil for that of the configuration.
    /// - Throws: `MissingRights`, or an error of the database.
    package func checkRights(
        _ rights: [DatabaseRight] = ServiceRights.serving, within limit: Duration? = nil
    ) async throws {
        let missing = try await pool.withTransaction("check_rights", statementTimeout: limit) {
            try MissingRights.find(among: rights, over: $0)
        }
        if let missing { throw missing }
    }

    /// Why `migrate` was refused: the error itself or, if its role does not own the schema, `NotOwner`.
    package static func explainedMigration(_ error: any Error, over pool: PostgresPool) async -> any Error {
        guard let refusal = error as? PostgresError, refusal.sqlState == .insufficientPrivilege else { return error }
        let notOwner = try? await pool.withTransaction("explain_migration") { try NotOwner.find(over: $0) }
        if let notOwner { return notOwner }
        return error
    }

    /// The error itself or, if the database refused something for lack of a right, `MissingRights`, which names it.
    package func explained(_ error: any Error) async -> any Error {
        guard let refusal = error as? PostgresError, refusal.sqlState == .insufficientPrivilege else { return error }
        let missing = try? await pool.withTransaction("explain_refusal") {
            try MissingRights.explaining(refusal, over: $0)
        }
        if let missing { return missing }
        return error
    }
}
