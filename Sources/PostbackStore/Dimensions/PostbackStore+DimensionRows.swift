import AdAttribution
package import PostgresClient

/// Rows that the cache does not have: they are read, and added if they are missing.
extension PostbackStore {
    /// The numbers of some lines.
    ///
    /// Missing rows are added.
    ///
    /// - Throws: what the database threw.
    func lines(of keys: Set<LineKey>) async throws -> [LineKey: Int32] {
        let (numbers, failures) = await numbers(of: DimensionRows(lines: keys))
        if let failure = failures.lines.values.first { throw failure }
        return numbers.lines.mapValues(\.line)
    }

    /// The numbers of some rows, out of the cache or the database.
    ///
    /// What is read is kept here too, since the cache may forget it at any time. If a standby takes over meanwhile,
    /// everything is read again.
    func numbers(of rows: DimensionRows) async -> (DimensionNumbers, DimensionFailures) {
        while true {
            if dimensions.takeRefill() { await readDimensions() }
            let timeline = dimensions.timeline
            let (numbers, failures) = await numbers(of: rows, on: timeline)
            if dimensions.timeline == timeline { return (numbers, failures) }
        }
    }

    private func numbers(
        of rows: DimensionRows, on timeline: Timeline
    ) async -> (DimensionNumbers, DimensionFailures) {
        var numbers = dimensions.known(of: rows)
        var failures = DimensionFailures()
        (numbers.lines, failures.lines) = await add(rows.lines, to: numbers.lines, addLines)
        (numbers.domains, failures.domains) = await add(rows.domains, to: numbers.domains, addDomains)
        (numbers.traits, failures.traits) = await add(rows.traits, to: numbers.traits, addTraits)
        dimensions.add(numbers, on: timeline)
        return (numbers, failures)
    }

    /// Adds those rows that are not known.
    ///
    /// They are added together; if the database refuses a value, one by one, so that only the refused ones fail.
    private func add<Key: Hashable & Sendable, Number: Sendable>(
        _ keys: Set<Key>, to known: [Key: Number], _ add: ([Key]) async throws -> [Number]
    ) async -> ([Key: Number], [Key: any Error]) {
        var known = known
        var failures: [Key: any Error] = [:]
        let missing = keys.filter { known[$0] == nil }
        guard !missing.isEmpty else { return (known, failures) }
        let list = Array(missing)
        do {
            known.merge(zip(list, try await add(list))) { $1 }
        } catch let error as PostgresError where error.isAboutValues && list.count > 1 {
            for key in list {
                do {
                    known[key] = try await add([key]).first
                } catch {
                    failures[key] = error
                }
            }
        } catch {
            for key in list { failures[key] = error }
        }
        return (known, failures)
    }

    private func addLines(_ keys: [LineKey]) async throws -> [DimensionNumbers.Line] {
        let bindings = DimensionStatements.bindings(keys)
        let lines = PostgresPipelineStep(DimensionStatements.lines, bindings)
        let known = try await dimensionRows([PostgresPipelineStep(DimensionStatements.addLines, bindings), lines]) {
            try DimensionNumbers.Line($0)
        }
        guard known.contains(where: { $0 == nil }) else { return known.compactMap(\.self) }
        // Networks, and apps of a network, are few, so this is rare.
        let networks = zip(keys, known).filter { $1 == nil }.map(\.0.network)
        return try await dimensionRows([
            PostgresPipelineStep(DimensionStatements.lock),
            PostgresPipelineStep(
                DimensionStatements.addNetworks, DimensionStatements.bindings(networks: Set(networks))),
            PostgresPipelineStep(DimensionStatements.addFirstLines, bindings), lines,
        ]) { try DimensionNumbers.Line($0) }.map { try $0.present() }
    }

    private func addDomains(_ keys: [SourceDomain]) async throws -> [Int64] {
        let known = try await dimensionRows([
            PostgresPipelineStep(DimensionStatements.addDomains, DimensionStatements.bindings(numbering: keys)),
            PostgresPipelineStep(DimensionStatements.domains, DimensionStatements.bindings(keys)),
        ]) { try $0.decode(Int64?.self, at: 0) }
        let colliding = zip(keys, known).filter { $1 == nil }.map(\.0)
        guard !colliding.isEmpty else { return known.compactMap(\.self) }
        _ = try await dimensionRows([
            PostgresPipelineStep(DimensionStatements.lock),
            PostgresPipelineStep(DimensionStatements.addCollidingDomains, DimensionStatements.bindings(colliding)),
        ]) { _ in }
        return try await dimensionRows([
            PostgresPipelineStep(DimensionStatements.domains, DimensionStatements.bindings(keys))
        ]) { try $0.decode(Int64?.self, at: 0) }.map { try $0.present() }
    }

    private func addTraits(_ keys: [TraitsKey]) async throws -> [Int32] {
        let facts = versions.traitColumns
        return try await dimensionRows([
            PostgresPipelineStep(DimensionStatements.lock),
            PostgresPipelineStep(DimensionStatements.traits(facts), DimensionStatements.bindings(keys, facts)),
        ]) { try $0.decode(Int32.self, at: 0) }
    }

    /// Runs a transaction that adds rows, and returns the rows of its last step.
    ///
    /// It uses a connection for batches, so that it waits neither for folding nor for the page.
    private func dimensionRows<Row: Sendable>(
        _ steps: [PostgresPipelineStep], _ decode: @Sendable (PostgresRow) throws -> Row
    ) async throws -> [Row] {
        let expected = dimensions.timeline
        let (rows, timeline) = try await writers.withStatement("add_dimensions") { connection in
            let results = try connection.pipeline(steps + [Timeline.reading])
            return (try results[steps.count - 1].map(decode), try Timeline(results[steps.count]))
        }
        dimensions.begin(timeline)
        guard timeline == expected else { throw OtherTimeline() }
        return rows
    }
}

extension LineKey {
    /// Reads environment, protocol, ad_network_id, developer_copy, campaign_type, campaign and advertised_app_id; nil if
    /// one of them has a value that this build does not know.
    package init?(_ columns: inout ColumnCursor) throws(PostgresError) {
        let environment = AttributionEnvironment(rawValue: try columns.next())
        let attributionProtocol = AttributionProtocol(rawValue: try columns.next())
        let adNetworkID = try columns.next(String.self)
        let isDeveloperCopy = try columns.next(Bool.self)
        let campaign = Campaign(type: try columns.next(), text: try columns.next())
        let advertisedAppID = AppID(try columns.next(Int64.self))
        guard let environment, let attributionProtocol, let campaign, let advertisedAppID else { return nil }
        self.init(
            network: NetworkKey(
                environment: environment, attributionProtocol: attributionProtocol, adNetworkID: adNetworkID),
            isDeveloperCopy: isDeveloperCopy, campaign: campaign, advertisedAppID: advertisedAppID)
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

extension PostbackStore {
    /// Reads many rows of lines and domains into the cache, so that batches need not wait for them.
    ///
    /// A failure is only logged, because each batch reads what it needs.
    package func readDimensions() async {
        do {
            let (numbers, timeline) = try await pool.withStatement("read_dimensions") { connection in
                let results = try connection.pipeline([
                    PostgresPipelineStep(DimensionStatements.newestLines),
                    PostgresPipelineStep(DimensionStatements.storedDomains), Timeline.reading,
                ])
                return (try DimensionNumbers(lines: results[0], domains: results[1]), try Timeline(results[2]))
            }
            // A standby that has not taken over has no timeline of its own.
            guard timeline != .unknown else { return }
            dimensions.refill(numbers, on: timeline)
        } catch {
            pool.logFailure(of: "read_dimensions", error)
        }
    }
}

extension DimensionNumbers.Line {
    /// Nil if the network or the line is not there.
    fileprivate init?(_ row: PostgresRow) throws {
        guard let network = try row.decode(Int16?.self, at: 0), let line = try row.decode(Int32?.self, at: 1)
        else { return nil }
        self.init(network: network, line: line)
    }
}

extension DimensionNumbers {
    /// The rows of `DimensionStatements.newestLines` and `storedDomains`, but for those that this build does not know.
    fileprivate init(lines: PostgresResult, domains: PostgresResult) throws {
        for row in lines {
            var columns = ColumnCursor(row)
            guard let key = try LineKey(&columns) else { continue }
            self.lines[key] = Line(network: try columns.next(), line: try columns.next())
        }
        for row in domains {
            guard let domain = SourceDomain(try row.decode(String.self, at: 0)) else { continue }
            self.domains[domain] = try row.decode(Int64.self, at: 1)
        }
    }
}

extension Optional {
    /// The number of a row that has just been added.
    fileprivate func present() throws -> Wrapped {
        guard let self else { throw DimensionError.missing }
        return self
    }
}

/// Why rows of the dimensions could not be added.
struct DimensionFailures {
    var lines: [LineKey: any Error] = [:]
    var domains: [SourceDomain: any Error] = [:]
    var traits: [TraitsKey: any Error] = [:]

    func first(of keys: DimensionKeys) -> (any Error)? {
        lines[keys.line] ?? keys.source?.domain.flatMap { domains[$0] } ?? traits[keys.traits]
    }
}

/// The database did not answer for a row of a dimension.
enum DimensionError: Error, CustomStringConvertible {
    case missing

    var description: String { "the database gave no number for a row of a dimension" }
}
