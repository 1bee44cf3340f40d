package import AdAttribution
package import Foundation
package import PostbackStore
package import PostgresClient

/// An event: a row of the log, with the rows of its dimensions.
package struct LogEvent: Sendable, Hashable {
    /// What happened.
    package enum Kind: Sendable, Hashable {
        /// The first delivery of a postback, with its value.
        case accepted(ReportedConversionValue)
        /// A later delivery raised the value; `isFirst` if it was the postback's first raise.
        case raised(from: ReportedConversionValue, to: ReportedConversionValue, isFirst: Bool)
        /// A later delivery with another value was ignored: of the other kind or, under the policy `first`, a higher
        /// one.
        case conflict(stored: ReportedConversionValue, offered: ReportedConversionValue)
    }

    /// The lane of the transaction id.
    ///
    /// Events of one lane are in order. Events of different lanes have no order.
    package let lane: Int16
    /// Where in the lane a batch wrote: the day of writing in the upper 32 bits, a counter in the lower ones.
    ///
    /// Positions of a lane rise, but not always by 1.
    package let position: Int64
    /// The number of the delivery among those of its position.
    package let ordinal: Int16
    /// What happened.
    package let kind: Kind
    /// The postback's transaction.
    package let transactionID: UUID
    /// The UTC day of the first receipt; reports have the day of their time zone.
    package let day: PostgresDate
    /// The conversion window.
    package let sequenceIndex: PostbackSequenceIndex
    /// Whether the postback is winning.
    package let didWin: Bool
    /// When the event was written, by the database's clock.
    package let writtenAt: PostgresTimestamp
    /// The line that the postback counts for.
    package let line: LineKey
    /// The source app or source domain; nil if the postback names neither.
    package let source: AttributionSource?
    /// The other facts of the postback.
    package let traits: TraitsKey

    /// The place of this event.
    var place: LogPlace { LogPlace(position: position, ordinal: ordinal) ?? .beginning }
}

extension LogEvent {
    /// The event of a row.
    ///
    /// - Throws: `LogError.unknownValue` if a column has a value that this build does not know.
    init(_ row: LogRow, _ dimensions: LogDimensions) throws(LogError) {
        lane = row.lane
        position = row.place.position
        ordinal = row.place.ordinal
        kind = try Kind(row)
        transactionID = row.transactionID
        day = PostgresDate(row.receivedAt)
        sequenceIndex = try PostbackSequenceIndex(Int64(row.sequenceIndex)).known("sequence_index")
        didWin = row.didWin
        writtenAt = row.writtenAt
        line = try dimensions.line(row.line)
        source = try dimensions.source(row.source)
        traits = try dimensions.traits(row.traits)
    }
}

extension LogEvent.Kind {
    init(_ row: LogRow) throws(LogError) {
        let value = try StoredValue.value(row.value).known("value")
        let stored = try StoredValue.value(row.previousValue).known("previous_value")
        switch row.event {
        case CountingStatement.Event.accepted: self = .accepted(value)
        case CountingStatement.Event.raisedFirst: self = .raised(from: stored, to: value, isFirst: true)
        case CountingStatement.Event.raisedAgain: self = .raised(from: stored, to: value, isFirst: false)
        case CountingStatement.Event.conflict: self = .conflict(stored: stored, offered: value)
        default: throw LogError.unknownValue(column: "event")
        }
    }
}

extension Optional {
    func known(_ column: String) throws(LogError) -> Wrapped {
        guard let self else { throw .unknownValue(column: column) }
        return self
    }
}

/// A part of the log.
package struct LogPage: Sendable {
    /// The events.
    ///
    /// Those of one lane are in the order in which they took effect.
    package let events: [LogEvent]
    /// The cursor after these events.
    ///
    /// It can change even if there are no events, because a day has ended.
    package let next: LogCursor
    /// Whether nothing more was there to read.
    ///
    /// If false, read the next page at once.
    package let isAtEnd: Bool
}
