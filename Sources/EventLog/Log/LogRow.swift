import Foundation
import PostgresClient

/// A row of the log, with the numbers of its dimensions.
struct LogRow: Sendable {
    let lane: Int16
    let place: LogPlace
    /// One of `CountingStatement.Event`.
    let event: Int16
    /// The value that was accepted, raised to, or offered in conflict, as in `StoredValue`.
    let value: Int16
    /// The value that was stored before; -1 if none.
    let previousValue: Int16
    let transactionID: UUID
    let sequenceIndex: Int16
    let didWin: Bool
    /// The first receipt of the postback.
    let receivedAt: PostgresTimestamp
    /// The moment of the event, by the database's clock.
    let writtenAt: PostgresTimestamp
    let line: Int32
    let source: Int64
    let traits: Int32

    /// The columns that `init(_:)` reads.
    static let columns = """
        log.lane, log.position, log.ordinal, log.event, log.value, log.previous_value, log.transaction_id,
        log.sequence_index, log.did_win, log.received_at, log.written_at, log.line, log.source, log.traits
        """

    /// Reads a row of the log.
    ///
    /// - Throws: `LogError.unknownValue` if its place is negative.
    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        lane = try columns.next()
        guard let place = LogPlace(position: try columns.next(), ordinal: try columns.next()) else {
            throw LogError.unknownValue(column: "position")
        }
        self.place = place
        event = try columns.next()
        value = try columns.next()
        previousValue = try columns.next()
        transactionID = try columns.next()
        sequenceIndex = try columns.next()
        didWin = try columns.next()
        receivedAt = try columns.next()
        writtenAt = try columns.next()
        line = try columns.next()
        source = try columns.next()
        traits = try columns.next()
    }
}
