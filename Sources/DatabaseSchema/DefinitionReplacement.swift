package import PostgresClient

/// Replaces the definitions that a database has by another set, within a transaction.
///
/// A definition is replaced in place if PostgreSQL can do so: what uses it goes on. One that it can't change, or that
/// the new set does not have, is dropped before the new set is run. Which ones these are is found by running the new set
/// beside the old one, up to a savepoint.
package struct DefinitionReplacement: Sendable {
    /// The labels of the objects that the old set made.
    private let defined: Set<String>

    /// Waits for everything that uses the old set, holds it until the transaction ends, and keeps rights and comments.
    ///
    /// It comes before everything else in the transaction. Folds are waited for first. Then all views are locked, each
    /// before those that it uses, as a report locks them.
    ///
    /// - Parameters:
    ///   - foldLocks: The numbers of the advisory locks that folds hold.
    ///   - limit: How long reports are waited for. New reports wait behind it.
    /// - Throws: `DefinitionsInUse` if they have not ended by then.
    package static func begin(
        foldLocks: [Int64], waitingAtMost limit: Duration, over connection: isolated PostgresConnection
    ) throws -> DefinitionReplacement {
        var folds = PostgresBindings()
        folds.append(foldLocks)
        _ = try connection.query(DefinitionStatements.waitForFolds, folds)
        let labels = Set(
            try connection.query(DefinitionStatements.storedObjects).map { try $0.decode(String.self, at: 0) })
        let own = try DefinedObject.all(over: connection).filter { labels.contains($0.label) }
        let uses = try DefinitionUses.read(of: own, over: connection)
        try lock(uses.usersFirst(own), waitingAtMost: limit, over: connection)
        try connection.execute(script: DefinitionStatements.keep, named: "keep_rights")
        return DefinitionReplacement(defined: labels)
    }

    /// Puts the new set in the place of the old one.
    ///
    /// - Returns: The labels of the objects that the set made.
    /// - Throws: `SchemaError.inUse` or `.taken`; the transaction must not be committed then.
    package func run(_ definitions: Definitions, over connection: isolated PostgresConnection) throws -> [String] {
        let all = try DefinedObject.all(over: connection)
        let own = all.filter { defined.contains($0.label) }
        let wanted = try Self.tryOut(definitions, besides: own, of: all, over: connection)
        let uses = try DefinitionUses.read(of: own, over: connection)
        let outdated = uses.closure(
            of: own.filter { object in
                guard let successor = wanted[object.label] else { return true }
                return !object.canBecome(successor)
            })
        let users = uses.strangers(using: outdated)
        guard users.isEmpty else { throw SchemaError.inUse(users) }
        // Without CASCADE: a use that was not found above is refused by PostgreSQL.
        try Self.execute(uses.usersFirst(outdated).map { "DROP \($0.kind) \($0.name)" }, "drop", over: connection)
        try definitions.run(over: connection)
        for restoring in [DefinitionStatements.owners, DefinitionStatements.rights] {
            let statements = try connection.query(restoring).map { try $0.decode(String.self, at: 0) }
            try Self.execute(statements, "restore", over: connection)
        }
        if try Schema.isDistributed(over: connection) {
            try connection.execute(script: DefinitionStatements.distribute, named: "distribute_definitions")
        }
        return wanted.keys.sorted()
    }

    /// Runs a set in a database that has none.
    ///
    /// - Returns: The labels of the objects that the set made.
    package static func runFirst(_ definitions: Definitions, over connection: isolated PostgresConnection) throws
        -> [String]
    {
        let before = Set(try DefinedObject.all(over: connection).map(\.key))
        try definitions.run(over: connection)
        return try DefinedObject.all(over: connection)
            .filter { !before.contains($0.key) && !before.contains($0.origin) }.map(\.label).sorted()
    }

    /// What a set makes, by label: the old set has other names meanwhile, and everything is undone at the end.
    ///
    /// So the new set can't use anything that only the old one has.
    private static func tryOut(
        _ definitions: Definitions, besides own: [DefinedObject], of all: [DefinedObject],
        over connection: isolated PostgresConnection
    ) throws -> [String: DefinedObject] {
        try connection.execute(script: "SAVEPOINT trial", named: "try_definitions")
        _ = try connection.query(DefinitionStatements.sendNothing)
        let renames = own.filter { $0.kind != "trigger" }.map { object in
            "ALTER \(object.kind) \(object.name) RENAME TO \"~\(object.key.oid)\""
        }
        try execute(renames, "rename", over: connection)
        try definitions.run(over: connection)
        let present = try DefinedObject.all(over: connection)
        try connection.execute(
            script: "ROLLBACK TO SAVEPOINT trial; RELEASE SAVEPOINT trial", named: "try_definitions")
        let ownKeys = Set(own.map(\.key))
        let writers = Dictionary(all.map { ($0.key, $0.writer) }) { first, _ in first }
        let taken = present.filter { object in
            guard let writer = writers[object.key], !ownKeys.contains(object.key) else { return false }
            return writer != object.writer
        }
        guard taken.isEmpty else { throw SchemaError.taken(taken.map(\.label)) }
        // A trigger of the old set that is there has a new function. Others have functions of the user's.
        let made = present.filter { object in
            writers[object.origin] == nil && (writers[object.key] == nil || ownKeys.contains(object.key))
        }
        return Dictionary(made.map { ($0.label, $0) }) { first, _ in first }
    }

    /// Takes the locks that replacing needs, each object before those that it uses.
    ///
    /// `LOCK TABLE` of a view would lock the tables in it too, and hold up postbacks. To give a view the owner that it
    /// has locks the view alone.
    private static func lock(
        _ objects: [DefinedObject], waitingAtMost limit: Duration, over connection: isolated PostgresConnection
    ) throws {
        let views = objects.filter { $0.kind == "view" }.map { view in
            "EXECUTE format('ALTER VIEW \(view.name) OWNER TO %I', (SELECT pg_get_userbyid(relowner) FROM pg_class "
                + "WHERE oid = \(view.key.oid)));"
        }
        let tables = Set(objects.filter { $0.kind == "trigger" }.compactMap { $0.name.split(separator: " ON ").last })
        let locks = tables.sorted().map { "LOCK TABLE \($0) IN SHARE ROW EXCLUSIVE MODE;" }
        let milliseconds = Int(limit / .milliseconds(1))
        try connection.execute(
            script: "SET LOCAL statement_timeout = \(milliseconds); SET LOCAL lock_timeout = 0")
        _ = try connection.query(DefinitionStatements.sendNothing)
        do {
            try connection.execute(
                script: "DO $$ BEGIN \((views + locks).joined(separator: "\n")) END $$", named: "lock_definitions")
        } catch {
            guard error.sqlState == .queryCanceled || error.sqlState == .deadlockDetected else { throw error }
            throw DefinitionsInUse()
        }
        try connection.execute(
            script: "SET LOCAL statement_timeout TO DEFAULT; SET LOCAL lock_timeout TO DEFAULT")
        _ = try connection.query(DefinitionStatements.send)
    }

    private static func execute(
        _ statements: [String], _ what: String, over connection: isolated PostgresConnection
    ) throws {
        guard !statements.isEmpty else { return }
        try connection.execute(script: statements.joined(separator: ";\n"), named: what + "_definitions")
    }
}

extension Definitions {
    /// Runs all files.
    fileprivate func run(over connection: isolated PostgresConnection) throws {
        for file in files {
            try connection.execute(script: file.script, named: "definitions/" + file.name + ".sql")
        }
    }
}
