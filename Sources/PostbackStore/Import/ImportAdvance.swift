import PostgresClient

import struct Foundation.UUID

/// The new progress of one lane in an archive, written in the transaction that counts the lane's postbacks of the part.
struct ImportAdvance: Sendable {
    let fingerprint: [UInt8]
    /// The run of the import.
    let run: UUID
    private(set) var before: LaneProgress
    /// Where the part ends.
    let end: Int64
    /// The number of its last line.
    let lines: Int64
    /// Lines that were refused before their lane was known, if this lane counts them.
    let refused: Int64
    let time: PostgresTimestamp

    /// The progress after the part.
    func after(_ outcomes: [DeliveryOutcome]) -> LaneProgress {
        var counts = before.counts
        for outcome in outcomes { counts.count(outcome) }
        counts.refused += refused
        return LaneProgress(position: end, lines: lines, counts: counts)
    }

    /// The same, with the results of deliveries that are counted before.
    func adding(_ results: some Sequence<Result<DeliveryOutcome, any Error>>) -> ImportAdvance {
        var sum = self
        for result in results {
            switch result {
            case .success(let outcome): sum.before.counts.count(outcome)
            case .failure: sum.before.counts.refused += 1
            }
        }
        return sum
    }

    /// Writes the progress.
    ///
    /// - Parameter tables: The tables that have the rows of the lane.
    /// - Throws: `ImportError.movedOn` if a later run has taken the lane.
    func move(
        _ lane: Int16, in tables: LaneTables, _ outcomes: [DeliveryOutcome],
        over connection: isolated PostgresConnection
    ) throws {
        let after = after(outcomes)
        var bindings = PostgresBindings()
        bindings.append(bytea: fingerprint)
        bindings.append(lane)
        bindings.append(run)
        bindings.append(after.position)
        bindings.append(after.lines)
        bindings.append(after.counts.accepted)
        bindings.append(after.counts.raised)
        bindings.append(after.counts.duplicates)
        bindings.append(after.counts.refused)
        bindings.append(time)
        guard try connection.query(Self.statement(tables), bindings).affectedRows == 1 else {
            throw ImportError.movedOn
        }
    }

    private static func statement(_ tables: LaneTables) -> PostgresStatement {
        PostgresStatement(
            "import_advance",
            """
            UPDATE \(tables.importProgress)
               SET position = $4, lines = $5, accepted = $6, raised = $7, duplicates = $8, refused = $9, updated_at = $10
             WHERE fingerprint = $1 AND lane = $2 AND run = $3
            """)
    }
}
