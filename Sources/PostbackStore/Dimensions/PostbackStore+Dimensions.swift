import AdAttribution
import PostgresClient

extension PostbackStore {
    /// The delivery with the numbers of its rows; nil if one of them is not known here.
    ///
    /// It asks no database and takes one lock, so an event loop may call it.
    package func withKnownRows(_ delivery: PostbackDelivery) -> PostbackDelivery? {
        let timeline = dimensions.timeline
        let keys = CollectionOfOne(DimensionKeys(delivery.verified, versions.traitColumns))
        guard let ids = dimensions.numbers(of: keys, missed: { _, _ in })[0] else { return nil }
        return delivery.with(DeliveryRows(ids: ids, timeline: timeline))
    }

    /// The deliveries with the numbers of their rows.
    ///
    /// Missing rows are added, outside any batch.
    /// - Returns: One result for each, in the order given. If a row can't be added, only the deliveries that need it
    ///   fail.
    package func addingRows(of deliveries: [PostbackDelivery]) async -> [Result<PostbackDelivery, any Error>] {
        while true {
            let timeline = dimensions.timeline
            let ids = await dimensionIDs(of: deliveries)
            // The first rows that are read begin a timeline. What was read is in the cache then.
            guard dimensions.timeline == timeline else { continue }
            return zip(deliveries, ids).map { delivery, ids in
                ids.map { delivery.with(DeliveryRows(ids: $0, timeline: timeline)) }
            }
        }
    }

    /// The numbers of the dimensions' rows for each delivery, looked up if it does not bring them.
    ///
    /// Missing rows are added, outside any batch.
    /// - Returns: One result for each, in the order given. If a row can't be added, only the deliveries that need it
    ///   fail.
    package func dimensionIDs(of deliveries: [PostbackDelivery]) async -> [Result<DimensionIDs, any Error>] {
        let columns = versions.traitColumns
        let timeline = dimensions.timeline
        var missing: [Int: DimensionKeys] = [:]
        var results = deliveries.map { delivery -> Result<DimensionIDs, any Error> in
            guard let rows = delivery.rows, rows.timeline == timeline else { return .failure(DimensionError.missing) }
            return .success(rows.ids)
        }
        let places = results.indices.filter { (try? results[$0].get()) == nil }
        guard !places.isEmpty else { return results }
        // Most are known. So the keys are made one after the other and not kept.
        let known = dimensions.numbers(of: places.lazy.map { DimensionKeys(deliveries[$0].verified, columns) }) {
            missing[places[$0]] = $1
        }
        for case (let place, let ids?) in zip(places, known) { results[place] = .success(ids) }
        guard !missing.isEmpty else { return results }
        let (numbers, failures) = await numbers(of: DimensionRows(of: Array(missing.values)))
        for (place, keys) in missing {
            if let ids = numbers.ids(of: keys) {
                results[place] = .success(ids)
            } else if let failure = failures.first(of: keys) {
                results[place] = .failure(failure)
            }
        }
        return results
    }

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
    /// What is read is kept here too, since the cache may be emptied at any time. If a standby takes over meanwhile,
    /// everything is read again.
    private func numbers(of rows: DimensionRows) async -> (DimensionNumbers, DimensionFailures) {
        while true {
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
        (numbers.sources, failures.sources) = await add(rows.sources, to: numbers.sources, addSources)
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
        try await dimensionRows(DimensionStatements.lines, DimensionStatements.bindings(keys)) {
            DimensionNumbers.Line(network: try $0.decode(at: 0), line: try $0.decode(at: 1))
        }
    }

    private func addSources(_ keys: [AttributionSource]) async throws -> [Int32] {
        try await dimensionRows(DimensionStatements.sources, DimensionStatements.bindings(keys)) {
            try $0.decode(Int32.self, at: 0)
        }
    }

    private func addTraits(_ keys: [TraitsKey]) async throws -> [Int32] {
        let facts = versions.traitColumns
        return try await dimensionRows(DimensionStatements.traits(facts), DimensionStatements.bindings(keys, facts)) {
            try $0.decode(Int32.self, at: 0)
        }
    }

    private func dimensionRows<Row: Sendable>(
        _ statement: PostgresStatement, _ bindings: PostgresBindings,
        _ decode: @Sendable (PostgresRow) throws -> Row
    ) async throws -> [Row] {
        let expected = dimensions.timeline
        let (timeline, rows) = try await pool.withTransaction("add_dimensions") { connection in
            _ = try connection.query(DimensionStatements.lock)
            let rows = try connection.query(statement, bindings).map(decode)
            return (try Timeline.read(over: connection), rows)
        }
        dimensions.begin(timeline)
        guard timeline == expected else { throw OtherTimeline() }
        return rows
    }
}

extension PostbackDelivery {
    fileprivate func with(_ rows: DeliveryRows) -> PostbackDelivery {
        var delivery = self
        delivery.rows = rows
        return delivery
    }
}

/// Why rows of the dimensions could not be added.
private struct DimensionFailures {
    var lines: [LineKey: any Error] = [:]
    var sources: [AttributionSource: any Error] = [:]
    var traits: [TraitsKey: any Error] = [:]

    func first(of keys: DimensionKeys) -> (any Error)? {
        lines[keys.line] ?? keys.source.flatMap { sources[$0] } ?? traits[keys.traits]
    }
}

/// The database did not answer for a row of a dimension.
enum DimensionError: Error {
    case missing
}
