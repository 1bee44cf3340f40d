package import PostgresClient

import struct Foundation.UUID

extension PostbackStore {
    /// Begins a new run of an import, and returns the progress of earlier runs.
    ///
    /// If an earlier run is still at work, its next part fails: the run that began last continues.
    ///
    /// An archive that was read to its end with refused lines is read again from its beginning: somebody may have
    /// corrected a line, and the fingerprint is the same if its size is. The counts of all lanes are then those of the
    /// new reading.
    ///
    /// - Parameter again: Whether it is read from its beginning in any case.
    package func importProgress(
        fingerprint: [UInt8], file: String, size: Int64, again: Bool = false, time: PostgresTimestamp
    ) async throws -> ImportProgress {
        let lanes = try await lanes().lanes
        let run = UUID()
        var bindings = PostgresBindings()
        bindings.append(bytea: fingerprint)
        bindings.append(file)
        bindings.append(size)
        bindings.append(time)
        var laneBindings = PostgresBindings()
        laneBindings.append(bytea: fingerprint)
        laneBindings.append(run)
        laneBindings.append(time)
        let (begin, beginLanes) = (bindings, laneBindings)
        // In the order of their numbers, so that two runs that begin at once do not wait for each other in a circle.
        let numbers = lanes.map(\.number).sorted()
        func steps(
            _ statement: PostgresStatement, _ bind: (inout PostgresBindings) -> Void
        ) -> [PostgresPipelineStep] {
            numbers.map { lane in
                var key = PostgresBindings()
                key.append(bytea: fingerprint)
                bind(&key)
                key.append(lane)
                return PostgresPipelineStep(statement, key)
            }
        }
        let take = steps(Self.takeLane) { $0.append(run) }
        let reset = steps(Self.resetLane) { $0.append(time) }
        return try await pool.withTransaction("import_begin") { connection in
            _ = try connection.query(Self.beginImport, begin)
            _ = try connection.query(Self.beginLanes, beginLanes)
            var stored: [Int16: LaneProgress] = [:]
            for row in try connection.pipeline(take).joined() {
                var columns = ColumnCursor(row)
                let lane: Int16 = try columns.next()
                var progress = LaneProgress(position: try columns.next(), lines: try columns.next())
                progress.counts.accepted = try columns.next()
                progress.counts.raised = try columns.next()
                progress.counts.duplicates = try columns.next()
                progress.counts.refused = try columns.next()
                stored[lane] = progress
            }
            let progress = ImportProgress(
                fingerprint: fingerprint, size: size, run: run,
                lanes: lanes.map { stored[$0.number] ?? LaneProgress() })
            let reading = progress.reading
            guard progress.isBegun, again || (reading.isWhole && reading.counts.refused > 0) else { return progress }
            _ = try connection.pipeline(reset)
            return progress.fromTheBeginning
        }
    }

    /// The part with the numbers of its deliveries' rows, for all lanes at once.
    ///
    /// Missing rows are added. A delivery whose row can't be added has no numbers. It fails in its lane.
    package func addingRows(of part: ImportPart) async -> ImportPart {
        let rows = await addingRows(of: part.entries.map(\.delivery))
        let entries = zip(part.entries, rows).map { entry, delivery in
            ImportPart.Entry((try? delivery.get()) ?? entry.delivery, end: entry.end)
        }
        return ImportPart(
            entries: entries, end: part.end, lines: part.lines, refused: part.refused, time: part.time)
    }

    /// Counts a part of an archive, best one of `addingRows(of:)`.
    ///
    /// The rules are those of `record(_:lane:)`. Each lane's postbacks and its progress are one transaction, unless the
    /// database refuses a delivery's values.
    ///
    /// - Parameter progress: The progress in the archive. It is updated for each lane that is done, even if another one
    ///   fails.
    /// - Throws: `ImportError.movedOn` if a later run has taken the archive; an error of the database that was not
    ///   about the values of one delivery.
    package func record(_ part: ImportPart, _ progress: inout ImportProgress) async throws {
        let lanes = try await lanes()
        let batches = Dictionary(grouping: part.entries, by: { lanes.index(of: $0.delivery) })
        let before = progress
        var firstError: (any Error)?
        await withTaskGroup(of: (Int, Result<LaneProgress, any Error>).self) { group in
            for lane in lanes.lanes.indices where before.lanes[lane].position < part.end {
                let done = before.lanes[lane]
                // A lane that is ahead of the others has already counted some of these.
                let deliveries = (batches[lane] ?? []).filter { $0.end > done.position }.map(\.delivery)
                let advance = ImportAdvance(
                    fingerprint: before.fingerprint, run: before.run, before: done, end: part.end, lines: part.lines,
                    refused: lane == 0 ? part.refused : 0, time: part.time)
                group.addTask {
                    do {
                        let results = try await record(
                            deliveries, to: lanes.lanes[lane].number, advancing: advance)
                        return (lane, .success(advance.adding(results).after([])))
                    } catch {
                        return (lane, .failure(error))
                    }
                }
            }
            for await (lane, result) in group {
                switch result {
                case .success(let after): progress.lanes[lane] = after
                case .failure(let error): firstError = firstError ?? error
                }
            }
        }
        if let firstError { throw firstError }
    }

    private static let beginImport = PostgresStatement(
        "import_begin",
        """
        INSERT INTO attribution.import_file (fingerprint, file, size, started_at)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (fingerprint) DO NOTHING
        """)

    private static let beginLanes = PostgresStatement(
        "import_begin_lanes",
        """
        INSERT INTO attribution.import_progress (
            fingerprint, lane, run, position, lines, accepted, raised, duplicates, refused, updated_at)
        SELECT $1, lane, $2, 0, 0, 0, 0, 0, 0, $3 FROM attribution.lane WHERE NOT is_closed ORDER BY lane
        ON CONFLICT (fingerprint, lane) DO NOTHING
        """)

    /// Waits for the transaction of an earlier run in a lane, takes the lane, and returns its progress.
    private static let takeLane = PostgresStatement(
        "import_take_lane",
        """
        UPDATE attribution.import_progress
           SET run = $2
         WHERE fingerprint = $1 AND lane = $3
        RETURNING lane, position, lines, accepted, raised, duplicates, refused
        """)

    /// Lets a lane that is taken begin the archive again.
    private static let resetLane = PostgresStatement(
        "import_reset_lane",
        """
        UPDATE attribution.import_progress
           SET position = 0, lines = 0, accepted = 0, raised = 0, duplicates = 0, refused = 0, updated_at = $2
         WHERE fingerprint = $1 AND lane = $3
        """)
}
