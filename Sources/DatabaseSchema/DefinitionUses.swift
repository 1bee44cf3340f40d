import PostgresClient

/// What uses the objects of a set of definitions, as the catalog knows it.
///
/// It does not know what the text of a function uses. That is no obstacle: such a function looks names up when it runs.
struct DefinitionUses: Sendable {
    private struct Use: Sendable {
        let user: DefinedObject.Key
        /// The user in words, such as `view public.totals`.
        let description: String
        let used: DefinedObject.Key
    }

    private let uses: [Use]
    private let objects: [DefinedObject.Key: DefinedObject]

    /// Reads what uses these objects.
    static func read(
        of objects: [DefinedObject], over connection: isolated PostgresConnection
    ) throws -> DefinitionUses {
        var bindings = PostgresBindings()
        bindings.append(objects.map(\.key.catalog))
        bindings.append(objects.map(\.key.oid))
        let uses = try connection.query(DefinitionStatements.uses, bindings).map { row in
            Use(
                user: DefinedObject.Key(catalog: try row.decode(at: 0), oid: try row.decode(at: 1)),
                description: try row.decode(at: 2),
                used: DefinedObject.Key(catalog: try row.decode(at: 3), oid: try row.decode(at: 4)))
        }
        return DefinitionUses(uses: uses, objects: Dictionary(objects.map { ($0.key, $0) }) { first, _ in first })
    }

    /// Objects of the set together with all others of the set that use them, directly or through others.
    func closure(of some: [DefinedObject]) -> [DefinedObject] {
        var found = Set(some.map(\.key))
        var new = found
        while !new.isEmpty {
            new = Set(uses.filter { new.contains($0.used) && objects[$0.user] != nil }.map(\.user)).subtracting(found)
            found.formUnion(new)
        }
        return found.compactMap { objects[$0] }
    }

    /// What is not of the set and uses some of its objects, in words.
    func strangers(using some: [DefinedObject]) -> [String] {
        let keys = Set(some.map(\.key))
        return Set(
            uses.compactMap { use -> String? in
                guard keys.contains(use.used), objects[use.user] == nil, let used = objects[use.used] else {
                    return nil
                }
                return "\(use.description) uses \(used.label)"
            }
        ).sorted()
    }

    /// Objects of the set, each before those that it uses.
    ///
    /// Objects that use each other in a circle come last.
    func usersFirst(_ some: [DefinedObject]) -> [DefinedObject] {
        var ordered: [DefinedObject] = []
        var left = some.sorted { $0.label < $1.label }
        while !left.isEmpty {
            let keys = Set(left.map(\.key))
            let used = Set(uses.filter { keys.contains($0.user) }.map(\.used))
            let free = left.filter { !used.contains($0.key) }
            guard !free.isEmpty else { return ordered + left }
            ordered += free
            left.removeAll { !used.contains($0.key) }
        }
        return ordered
    }
}
