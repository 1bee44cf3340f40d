import AdAttribution
import Encodings
import Foundation
import PostbackStore
import PostgresClient
import StrictJSON

/// Events as JSON objects; docs/events.md describes the members, whose order never changes.
struct EventText {
    /// The text so far.
    var bytes: [UInt8] = []
    /// The day whose text was needed last, since almost all times of a page are of a few days.
    private var lastDay: (day: PostgresDate, text: [UInt8])?

    private static let microsecondsOfDay: Int64 = 86_400_000_000

    /// Appends an event.
    ///
    /// - Throws: `LogError.unknownValue` if the row has a value that this build does not know.
    mutating func append(_ row: LogRow, _ dimensions: EventDimensions, body: [UInt8]?) throws(LogError) {
        // Of a conflict, `previousValue` is the value that stays, and `value` the one that was offered.
        let (kind, value, previous, offered): (StaticString, Int16, Int16, Int16) =
            switch row.event {
            case CountingStatement.Event.accepted: ("accepted", row.value, StoredValue.none, StoredValue.none)
            case CountingStatement.Event.raisedFirst, CountingStatement.Event.raisedAgain:
                ("raised", row.value, row.previousValue, StoredValue.none)
            case CountingStatement.Event.conflict: ("conflict", row.previousValue, StoredValue.none, row.value)
            default: throw .unknownValue(column: "event")
            }
        append(#"{"format":1,"id":""#)
        append(row.lane)
        append("-")
        append(row.place.position)
        append("-")
        append(row.place.ordinal)
        append(#"","event":""#)
        append(kind)
        append(row.event == CountingStatement.Event.raisedFirst ? #"","first_raise":true"# : #"","first_raise":false"#)
        append(#","lane":"#)
        append(row.lane)
        append(#","position":"#)
        append(row.place.position)
        append(#","ordinal":"#)
        append(row.place.ordinal)
        append(#","written_at":""#)
        append(row.writtenAt)
        append(#"","received_at":""#)
        append(row.receivedAt)
        append(#"","day":""#)
        append(PostgresDate(row.receivedAt))
        append(#"","transaction_id":""#)
        append(row.transactionID)
        append(#"","sequence_index":"#)
        append(row.sequenceIndex)
        append(row.didWin ? #","did_win":true"# : #","did_win":false"#)
        try append(value, #","conversion_value":"#, #","coarse_value":"#)
        try append(previous, #","previous_conversion_value":"#, #","previous_coarse_value":"#)
        try append(offered, #","offered_conversion_value":"#, #","offered_coarse_value":"#)
        append(",")
        dimensions.append(row, to: &bytes)
        append(#""body":"#)
        if let body { JSONText.append(utf8: body, to: &bytes) } else { append("null") }
        append("}")
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ integer: some BinaryInteger) {
        DecimalText.append(Int64(integer), to: &bytes)
    }

    /// Appends a value as a fine value and a coarse value, of which one at least is null.
    private mutating func append(_ number: Int16, _ fine: StaticString, _ coarse: StaticString) throws(LogError) {
        let value = try StoredValue.value(number).known("value")
        append(fine)
        if case .fine(let value) = value { append(value.value) } else { append("null") }
        append(coarse)
        guard case .coarse(let value) = value else { return append("null") }
        append("\"")
        bytes += value.rawValue.utf8
        append("\"")
    }

    /// Appends a UUID in lower case.
    private mutating func append(_ id: UUID) {
        withUnsafeBytes(of: id.uuid) { raw in
            for (index, byte) in raw.enumerated() {
                if [4, 6, 8, 10].contains(index) { bytes.append(UInt8(ascii: "-")) }
                bytes.append(Hexadecimal.digit(byte >> 4))
                bytes.append(Hexadecimal.digit(byte & 15))
            }
        }
    }

    /// Appends a day as `YYYY-MM-DD`.
    private mutating func append(_ day: PostgresDate) {
        if lastDay?.day != day { lastDay = (day, Array(day.description.utf8)) }
        bytes += lastDay?.text ?? []
    }

    /// Appends a time as RFC 3339 writes it, with microseconds.
    private mutating func append(_ time: PostgresTimestamp) {
        let day = PostgresDate(time)
        append(day)
        let midnight = Int64(day.daysSince2000) &* Self.microsecondsOfDay
        let (seconds, microseconds) = (time.microsecondsSince2000 &- midnight).quotientAndRemainder(
            dividingBy: 1_000_000)
        append("T")
        append(digits: seconds / 3_600, 2)
        append(":")
        append(digits: seconds / 60 % 60, 2)
        append(":")
        append(digits: seconds % 60, 2)
        append(".")
        append(digits: microseconds, 6)
        append("Z")
    }

    private mutating func append(digits number: Int64, _ count: Int) {
        var divisor: Int64 = 1
        for _ in 1..<count { divisor *= 10 }
        for _ in 0..<count {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}
