import AdAttribution
import Foundation
package import PostbackStore
package import PostgresClient

/// What became of an archived body.
package enum RestoreOutcome: Sendable, Equatable {
    /// It was put back.
    case restored
    /// It is there already.
    case present
    /// It does not fit what the database has; with the rule.
    case refused(String)
}

/// What `attribution.dropped_day` remembers of the archive of a day.
struct RememberedArchive: Sendable {
    /// How many bodies it has; nil if that is not known.
    let bodies: Int64?
    /// SHA-256 of its lines.
    let sha256: [UInt8]
}

extension PostbackStore {
    /// Puts bodies back beside the state of their postbacks, all of them or none.
    ///
    /// A body is put back if the state has its key, its place and its value. Nothing is counted.
    ///
    /// - Returns: One outcome for each body, in the order given.
    package func restore(_ bodies: [ArchivedBody]) async throws -> [RestoreOutcome] {
        var outcomes = [RestoreOutcome](repeating: .present, count: bodies.count)
        var rows: [(place: Int, row: RestoreRow)] = []
        for (place, body) in bodies.enumerated() {
            do throws(RestoreError) {
                rows.append((place, try RestoreRow(body)))
            } catch {
                outcomes[place] = .refused(error.rule)
            }
        }
        guard !rows.isEmpty else { return outcomes }
        let checked = rows
        let lanes = try await lanes()
        var restored = try await restore(checked.map(\.row), lanes)
        if !restored.absent.isEmpty {
            try await makePartitions(of: restored.absent)
            restored = try await restore(checked.map(\.row), lanes, hasPartitions: true)
        }
        for ((place, _), outcome) in zip(rows, restored.found) { outcomes[place] = outcome }
        return outcomes
    }

    /// Puts bodies back in one transaction, if each of their days has a partition.
    ///
    /// - Parameter hasPartitions: Whether the partitions were made just now. If one is missing all the same, it throws.
    /// - Returns: One outcome for each body, and the days without a partition; if there are such days, nothing was put back.
    private func restore(
        _ rows: [RestoreRow], _ lanes: LaneMap, hasPartitions: Bool = false
    ) async throws -> (found: [RestoreOutcome], absent: Set<PostgresDate>) {
        try await pool.withTransaction("restore") { connection in
            _ = try connection.query(BodyRestoreStatements.lock)
            _ = try connection.query(Self.planning)
            var found = [RestoreOutcome](repeating: .present, count: rows.count)
            var missing: [(row: RestoreRow, line: Int32)] = []
            for row in try connection.query(BodyRestoreStatements.known, RestoreRow.bindings(rows, lanes)) {
                var columns = ColumnCursor(row)
                guard let place = Int(exactly: try columns.next(Int64.self) - 1), found.indices.contains(place) else {
                    throw LaneError.unknownOrdinal
                }
                let line: Int32? = try columns.next()
                let isThere: Bool = try columns.next()
                let isSame: Bool = try columns.next()
                if let line {
                    if !isThere {
                        missing.append((rows[place], line))
                        found[place] = .restored
                    } else if !isSame {
                        found[place] = .refused("another body stands at its place")
                    }
                } else {
                    found[place] = .refused("no postback here has its key, its place and its value")
                }
            }
            guard !missing.isEmpty else { return (found, []) }
            var absent: Set<PostgresDate> = []
            for day in Set(missing.map(\.row.body.day)) where !hasPartitions {
                var key = PostgresBindings()
                key.append(date: day)
                let isThere = try connection.query(BodyRestoreStatements.isThere, key).first?.decode(Bool.self, at: 0)
                if isThere != true { absent.insert(day) }
            }
            guard absent.isEmpty else { return (found, absent) }
            var bindings = RestoreRow.bindings(missing.map(\.row), lanes)
            bindings.append(missing.map(\.line))
            _ = try connection.query(BodyRestoreStatements.insert, bindings)
            return (found, [])
        }
    }

    /// Creates the partitions of days, in a transaction of its own.
    ///
    /// The owner creates them, and on a cluster one transaction can't read shards as one role and make some as another.
    private func makePartitions(of days: Set<PostgresDate>) async throws {
        try await pool.withTransaction("begin_to_restore") { connection in
            _ = try connection.query(BodyRestoreStatements.lock)
            for day in days {
                var key = PostgresBindings()
                key.append(date: day)
                _ = try connection.query(BodyRestoreStatements.begin, key)
            }
        }
    }

    /// What is remembered of a day's archive; nil if it is not known.
    func rememberedArchive(of day: PostgresDate) async throws -> RememberedArchive? {
        var bindings = PostgresBindings()
        bindings.append(date: day)
        let key = bindings
        return try await pool.withConnection { connection in
            try connection.query(BodyRestoreStatements.archive, key).first.map { row in
                RememberedArchive(
                    bodies: try row.decode(Int64?.self, at: 0), sha256: try row.decode([UInt8].self, at: 1))
            }
        }
    }

    /// Notes that all bodies of a day that were dropped are there again, if they are.
    ///
    /// Then the day can be recounted from the bodies.
    /// - Parameter isWhole: Whether the day's archive was put back as a whole. Else this reads the state of all
    ///   postbacks.
    package func finishRestoring(_ day: PostgresDate, isWhole: Bool) async throws {
        var key = PostgresBindings()
        key.append(date: day)
        var positions = PostgresBindings()
        positions.append(WritingDay.firstPosition(day))
        positions.append(WritingDay.firstPosition(PostgresDate(daysSince2000: day.daysSince2000 + 1)))
        let (parameters, bounds) = (key, positions)
        try await pool.withTransaction("restore_finish") { connection in
            guard try !connection.query(BodyRestoreStatements.isOpen, parameters).isEmpty else { return }
            guard try isWhole || connection.query(BodyRestoreStatements.missing, bounds).isEmpty else { return }
            _ = try connection.query(BodyRestoreStatements.finish, parameters)
        }
    }

    private static let planning = PostgresStatement(
        "restore_planning",
        """
        SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
               set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)
        """)
}

/// Why a body can't belong to any state.
private struct RestoreError: Error {
    let rule: String
}

/// A body with the facts by which its state is found.
private struct RestoreRow: Sendable {
    let body: ArchivedBody
    private let postback: Postback

    init(_ body: ArchivedBody) throws(RestoreError) {
        do throws(PostbackRejection) {
            postback = try Postback(parsing: body.payload)
        } catch {
            throw RestoreError(rule: "the body is no postback: \(error)")
        }
        guard postback.transactionID.uuid == body.transactionID else {
            throw RestoreError(rule: "archived.transaction-id is not that of the body")
        }
        self.body = body
    }

    /// The parameters of the statements: bodies in the lanes that have their transactions now.
    static func bindings(_ rows: [RestoreRow], _ lanes: LaneMap) -> PostgresBindings {
        var arrays = PostgresArrays(columns: 13, rows: rows.count)
        for row in rows {
            arrays.beginRow()
            arrays.append(lanes.number(of: row.body.transactionID))
            arrays.append(row.body.position)
            arrays.append(row.body.ordinal)
            arrays.append(row.body.transactionID)
            arrays.append(row.postback.attributionProtocol.rawValue)
            arrays.append(row.postback.adNetworkID.lowercased)
            arrays.append(Int16(row.postback.sequenceIndex.value))
            arrays.append(row.postback.didWin)
            arrays.append(StoredValue.number(row.postback.conversionValue))
            arrays.append(row.body.receivedAt)
            arrays.append(row.body.sourceAddress.flatMap { IPAddress($0) })
            arrays.append(row.body.userAgent)
            arrays.append(text: row.body.payload)
        }
        var bindings = PostgresBindings()
        bindings.append(consume arrays)
        return bindings
    }
}
