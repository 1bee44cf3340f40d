package import AdAttribution
package import PostbackStore
package import PostgresClient

/// The rows of the dimensions that some rows of the log, or of the state, name.
///
/// They are read anew for each page: few rows name the same ones, and after a failover a number may mean something
/// else.
package struct LogDimensions: Sendable {
    private let lines: [Int32: LineKey]
    private let domains: [Int64: SourceDomain]
    private let traits: [Int32: TraitsKey]

    /// Reads the dimensions of rows.
    ///
    /// - Throws: `LogError.unknownValue` if a column has a value that this build does not know, or an error of the
    ///   database.
    init(of rows: [LogRow], _ facts: [TraitColumn], over connection: isolated PostgresConnection) throws {
        try self.init(
            lines: Set(rows.map(\.line)), sources: Set(rows.map(\.source)), traits: Set(rows.map(\.traits)), facts,
            over: connection)
    }

    /// Reads the dimensions of these numbers.
    ///
    /// - Parameter facts: The columns of traits.
    /// - Throws: `LogError.unknownValue` if a column has a value that this build does not know, or an error of the
    ///   database.
    package init(
        lines: Set<Int32>, sources: Set<Int64>, traits: Set<Int32>, _ facts: [TraitColumn],
        over connection: isolated PostgresConnection
    ) throws {
        func bindings<Number: PostgresEncodable & Comparable>(_ numbers: Set<Number>) -> PostgresBindings {
            var bindings = PostgresBindings()
            bindings.append(numbers.sorted())
            return bindings
        }
        guard !lines.isEmpty else {
            (self.lines, domains, self.traits) = ([:], [:], [:])
            return
        }
        let results = try connection.pipeline([
            PostgresPipelineStep(LogStatements.planning),
            PostgresPipelineStep(LogStatements.lines, bindings(lines)),
            PostgresPipelineStep(LogStatements.domains, bindings(sources)),
            PostgresPipelineStep(LogStatements.traits(facts), bindings(traits)),
        ])
        self.lines = try Self.read(results[1]) { try LineKey(&$0) }
        domains = try Self.read(results[2]) { SourceDomain(try $0.next(String.self)) }
        self.traits = try Self.read(results[3]) { try TraitsKey(&$0, facts) }
    }

    private static func read<Number: PostgresDecodable & Hashable, Key>(
        _ result: PostgresResult, _ key: (inout ColumnCursor) throws -> Key?
    ) throws -> [Number: Key] {
        var keys: [Number: Key] = [:]
        for row in result {
            var columns = ColumnCursor(row)
            let number = try columns.next(Number.self)
            keys[number] = try key(&columns)
        }
        return keys
    }

    /// The line of a number.
    package func line(_ number: Int32) throws(LogError) -> LineKey { try lines[number].known("line") }

    /// The source of a number; nil for postbacks that name none.
    package func source(_ number: Int64) throws(LogError) -> AttributionSource? {
        guard number != SourceNumber.none else { return nil }
        if let app = SourceNumber.app(number) { return .app(app) }
        return .domain(try domains[number].known("source"))
    }

    /// The traits of a number.
    package func traits(_ number: Int32) throws(LogError) -> TraitsKey { try traits[number].known("traits") }
}

extension TraitsKey {
    fileprivate init(_ columns: inout ColumnCursor, _ facts: [TraitColumn]) throws {
        let signingKey = try columns.next(String.self)
        let version = try columns.next(String.self)
        let isRelayNormalised = try columns.next(Bool.self)
        let values = try facts.map { try FieldValue?(&columns, $0) }
        self.init(
            signingKey: signingKey,
            version: version == Self.noVersion ? nil : try SKAdNetworkVersion(version).known("version"),
            isRelayNormalised: isRelayNormalised, values: values, of: facts)
    }
}

extension FieldValue? {
    fileprivate init(_ columns: inout ColumnCursor, _ fact: TraitColumn) throws {
        switch fact.kind {
        case .boolean: self = try columns.next(Bool?.self).map { .boolean($0) }
        case .integer:
            self = try columns.next(Int64?.self).map { try fact.kind.value($0).known(fact.name) }
        case .text, .uuid, .lowercaseUUID:
            self = try columns.next(String?.self).map { try fact.kind.value($0).known(fact.name) }
        }
    }
}
