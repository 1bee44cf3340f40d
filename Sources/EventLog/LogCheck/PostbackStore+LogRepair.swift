package import PostbackStore
import PostgresClient

extension PostbackStore {
    /// How many events are written in one transaction.
    private static let eventsWrittenAtOnce = 500

    /// Writes events again that are named by state and bodies and missing in the log, and sums the figures of their
    /// lines anew.
    ///
    /// Each comes to its old place. So a reader that is behind the place reads it, and one that has passed it does not:
    /// no reader reads an event twice. Figures are right in both cases, since they are summed from the state. Servers
    /// may write meanwhile: a lane is held for a moment only. If it is broken off, the next one does the rest.
    ///
    /// Days of writing whose log was dropped are left out. If the number of lanes was changed, so are the days before.
    ///
    /// - Parameter isDry: Whether to look only and to change nothing.
    /// - Throws: An error of the database. What was written before stays.
    package func repairLog(isDry: Bool) async throws -> LogRepair {
        var repair = LogRepair()
        let isDistributed = try await lanes().isDistributed
        for part in try await partsOfLog() {
            let events = try await missingEvents(in: part)
            repair.missing += events.count
            repair.unknown += events.count { !$0.isKnown }
            try await count(events, &repair.passed)
            guard !isDry else { continue }
            let known = events.filter(\.isKnown)
            for start in stride(from: 0, to: known.count, by: Self.eventsWrittenAtOnce) {
                let some = known[start..<min(start + Self.eventsWrittenAtOnce, known.count)]
                // First the request: if this is broken off later, the figures are still summed anew.
                try await requestRefold(of: Set(some.compactMap(\.line)))
                repair.written += try await write(some, of: part.lane, isDistributed: isDistributed)
            }
        }
        guard !isDry else { return repair }
        try await refoldFigures()
        try await fold(waits: true)
        try await foldAnswers(waits: true)
        // The check may not have found what can't be made again.
        repair.left = max(try await recheckLogProblems(), Int64(repair.unknown))
        return repair
    }

    private func partsOfLog() async throws -> [(lane: Int16, behind: Int64, upTo: Int64)] {
        try await pool.withConnection { connection in
            try connection.query(LogCheckStatements.days).map { row in
                (lane: try row.decode(at: 0), behind: try row.decode(at: 2), upTo: try row.decode(at: 3))
            }
        }
    }

    private func missingEvents(
        in part: (lane: Int16, behind: Int64, upTo: Int64)
    ) async throws -> [LogRepair.Event] {
        var bindings = PostgresBindings()
        bindings.append(part.lane)
        bindings.append(part.behind)
        bindings.append(part.upTo)
        let parameters = bindings
        return try await pool.withConnection { connection in
            try connection.query(LogCheckStatements.missing, parameters).map { row in
                LogRepair.Event(
                    lane: part.lane,
                    place: LogPlace(position: try row.decode(at: 0), ordinal: try row.decode(at: 1)) ?? .beginning,
                    line: try row.decode(Int32?.self, at: 2), isKnown: try row.decode(Int16?.self, at: 3) != nil,
                    json: try row.decode(at: 4))
            }
        }
    }

    /// Adds how many of these places each named reader has passed.
    private func count(_ events: [LogRepair.Event], _ passed: inout [String: Int]) async throws {
        guard !events.isEmpty else { return }
        var bindings = PostgresBindings()
        bindings.append([String]())
        bindings.append(Int64(Self.maximumLogReaderLags))
        let parameters = bindings
        let rows = try await pool.withConnection { try $0.query(LogReaderStatements.all, parameters) }
        for row in rows {
            let lane = try row.decode(Int16.self, at: 0)
            let reader = try row.decode(String.self, at: 3)
            guard ![LogReaderName.figures, LogReaderName.answers].contains(reader),
                let place = LogPlace(position: try row.decode(at: 1), ordinal: try row.decode(at: 2))
            else { continue }
            let count = events.count { $0.lane == lane && $0.place <= place }
            if count > 0 { passed[reader, default: 0] += count }
        }
    }

    private func requestRefold(of lines: Set<Int32>) async throws {
        var bindings = PostgresBindings()
        bindings.append(lines.sorted())
        let parameters = bindings
        try await pool.withTransaction("figure_refold_request") { connection in
            _ = try connection.query(LogCheckStatements.request, parameters)
        }
    }

    private func write(
        _ events: ArraySlice<LogRepair.Event>, of lane: Int16, isDistributed: Bool
    ) async throws -> Int {
        var bindings = PostgresBindings()
        bindings.append(lane)
        bindings.append("[" + events.map(\.json).joined(separator: ",") + "]")
        bindings.append(isDistributed)
        let parameters = bindings
        let written = try await pool.withTransaction("log_write_events") { connection in
            try connection.query(LogCheckStatements.write, parameters).first?.decode(Int64.self, at: 0)
        }
        return Int(written ?? 0)
    }

    /// Sums the figures of the requested lines anew, also of a repair that was broken off.
    private func refoldFigures() async throws {
        try await pool.withTransaction("figure_refold", statementTimeout: .seconds(3_600)) { connection in
            _ = try FoldingReader.figures.isLocked(waits: true, over: connection)
            _ = try connection.query(LogCheckStatements.refold)
        }
    }

    private func recheckLogProblems() async throws -> Int64 {
        var bindings = PostgresBindings()
        bindings.append(Self.eventsComparedAtOnce)
        let parameters = bindings
        return try await pool.withTransaction("log_recheck", statementTimeout: .seconds(3_600)) { connection in
            try connection.query(LogCheckStatements.recheck, parameters).first?.decode(Int64.self, at: 0) ?? 0
        }
    }
}
