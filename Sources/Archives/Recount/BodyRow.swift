import EventLog
import Foundation
import PostgresClient

/// A row of `BodyRecountStatements.page`: a body with one of the rows of state of its transaction id, or with none.
struct BodyRow: Sendable {
    /// A row of state, with the numbers of its dimensions.
    struct State: Sendable {
        let line: Int32
        let source: Int64
        let traits: Int32
        fileprivate let sequenceIndex: Int16
        fileprivate let didWin: Bool
        fileprivate let value: Int16
        fileprivate let firstValue: Int16
        fileprivate let receivedAt: PostgresTimestamp
        fileprivate let accepted: BodyPlace
        fileprivate let raised: BodyPlace?
    }

    let place: BodyPlace
    let transactionID: UUID
    let receivedAt: PostgresTimestamp
    let payload: [UInt8]
    let state: State?

    init(_ row: PostgresRow) throws(PostgresError) {
        var columns = ColumnCursor(row)
        place = BodyPlace(position: try columns.next(), ordinal: try columns.next())
        transactionID = try columns.next()
        receivedAt = try columns.next()
        payload = try columns.next()
        state = try State(&columns)
    }
}

extension BodyRow.State {
    fileprivate init?(_ columns: inout ColumnCursor) throws(PostgresError) {
        guard let line = try columns.next(Int32?.self) else { return nil }
        self.line = line
        source = try columns.next()
        traits = try columns.next()
        sequenceIndex = try columns.next()
        didWin = try columns.next()
        value = try columns.next()
        firstValue = try columns.next()
        receivedAt = try columns.next()
        accepted = BodyPlace(position: try columns.next(), ordinal: try columns.next())
        let (position, ordinal) = (try columns.next(Int64?.self), try columns.next(Int16?.self))
        if let position, let ordinal {
            raised = BodyPlace(position: position, ordinal: ordinal)
        } else {
            raised = nil
        }
    }
}

extension StoredBody.State {
    /// - Throws: `LogError.unknownValue` if a dimension has a value that this build does not know.
    init(_ row: BodyRow.State, _ dimensions: LogDimensions) throws(LogError) {
        self.init(
            line: try dimensions.line(row.line), source: try dimensions.source(row.source),
            traits: try dimensions.traits(row.traits), sequenceIndex: row.sequenceIndex, didWin: row.didWin,
            value: row.value, firstValue: row.firstValue, receivedAt: row.receivedAt, accepted: row.accepted,
            raised: row.raised)
    }
}
