import AdAttribution
import PostbackStore
import PostgresClient

/// The rows of the dimensions that some rows of the log name.
///
/// They are read anew for each page: few rows name the same ones, and after a failover a number may mean something else.
struct LogDimensions: Sendable {
    private let lines: [Int32: LineKey]
    private let sources: [Int32: AttributionSource]
    private let traits: [Int32: TraitsKey]

    /// Reads the dimensions of rows.
    ///
    /// - Throws: `LogError.unknownValue` if a column has a value that this build does not know, or an error of the
    ///   database.
    init(of rows: [LogRow], _ facts: [TraitColumn], over connection: isolated PostgresConnection) throws {
        func numbers(_ column: KeyPath<LogRow, Int32>) -> PostgresBindings {
            var bindings = PostgresBindings()
            bindings.append(Set(rows.map { $0[keyPath: column] }).sorted())
            return bindings
        }
        guard !rows.isEmpty else {
            (lines, sources, traits) = ([:], [:], [:])
            return
        }
        let results = try connection.pipeline([
            PostgresPipelineStep(LogStatements.planning),
            PostgresPipelineStep(LogStatements.lines, numbers(\.line)),
            PostgresPipelineStep(LogStatements.sources, numbers(\.source)),
            PostgresPipelineStep(LogStatements.traits(facts), numbers(\.traits)),
        ])
        lines = try Self.read(results[1]) { try LineKey(&$0) }
        sources = try Self.read(results[2]) { try AttributionSource(app: $0.next(), domain: $0.next()) }
        traits = try Self.read(results[3]) { try TraitsKey(&$0, facts) }
    }

    private static func read<Key>(
        _ result: PostgresResult, _ key: (inout ColumnCursor) throws -> Key?
    ) throws -> [Int32: Key] {
        var keys: [Int32: Key] = [:]
        for row in result {
            var columns = ColumnCursor(row)
            let number = try columns.next(Int32.self)
            keys[number] = try key(&columns)
        }
        return keys
    }

    /// The line of a number.
    func line(_ number: Int32) throws(LogError) -> LineKey { try lines[number].known("line") }

    /// The source of a number; nil for postbacks that name none.
    func source(_ number: Int32) throws(LogError) -> AttributionSource? {
        number == DimensionIDs.noSource ? nil : try sources[number].known("source")
    }

    /// The traits of a number.
    func traits(_ number: Int32) throws(LogError) -> TraitsKey { try traits[number].known("traits") }
}

extension LineKey {
    fileprivate init(_ columns: inout ColumnCursor) throws {
        self.init(
            network: NetworkKey(
                environment: try AttributionEnvironment(rawValue: columns.next()).known("environment"),
                attributionProtocol: try AttributionProtocol(rawValue: columns.next()).known("protocol"),
                adNetworkID: try columns.next()),
            isDeveloperCopy: try columns.next(),
            campaign: try Campaign(type: columns.next(), text: columns.next()).known("campaign"),
            advertisedAppID: try AppID(columns.next(Int64.self)).known("advertised_app_id"))
    }
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

extension AttributionSource {
    /// Nil if both are nil.
    fileprivate init?(app: Int64?, domain: String?) throws {
        if let app {
            self = .app(try AppID(app).known("source_app_id"))
        } else if let domain {
            self = .domain(try SourceDomain(domain).known("source_domain"))
        } else {
            return nil
        }
    }
}

extension Campaign {
    fileprivate init?(type: String, text: String) {
        let campaignID = Int64(text).flatMap(CampaignID.init).map(Campaign.campaignID)
        let sourceIdentifier = SourceIdentifier(text).map(Campaign.sourceIdentifier)
        guard let campaign = [campaignID, sourceIdentifier].compactMap(\.self).first(where: { $0.type == type }),
            campaign.text == text
        else { return nil }
        self = campaign
    }
}
