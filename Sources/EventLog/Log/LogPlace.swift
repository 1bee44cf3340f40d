import PostbackStore
import PostgresClient

/// A place in one lane of the log.
///
/// A reader at a place has read everything up to it, and the event at it.
struct LogPlace: Sendable, Hashable, Comparable {
    /// The day of writing in the upper 32 bits, and a counter in the lower ones; never negative.
    let position: Int64
    /// The number of the delivery among those of the position; never negative.
    let ordinal: Int16

    /// Before the first event of a lane.
    static let beginning = LogPlace(position: 0, unchecked: 0)

    /// Makes a place; nil if a number is negative.
    init?(position: Int64, ordinal: Int16) {
        guard position >= 0, ordinal >= 0 else { return nil }
        self.init(position: position, unchecked: ordinal)
    }

    /// Before the first event of a day.
    ///
    /// Days before 2000-01-01 have no events.
    init(beginningOf day: PostgresDate) {
        self.init(position: max(0, WritingDay.firstPosition(day)), unchecked: 0)
    }

    private init(position: Int64, unchecked ordinal: Int16) {
        self.position = position
        self.ordinal = ordinal
    }

    /// The day of writing.
    var day: PostgresDate { WritingDay.day(of: position) }

    static func < (left: LogPlace, right: LogPlace) -> Bool {
        (left.position, left.ordinal) < (right.position, right.ordinal)
    }
}
