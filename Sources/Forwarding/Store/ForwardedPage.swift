package import Destinations
package import EventLog

/// A part of the log for a destination.
package struct ForwardedPage: Sendable {
    /// The events, each with the cursor after it; those of one lane in the order in which they took effect.
    package let events: [(event: ForwardedEvent, cursor: LogCursor)]
    /// The cursor after these events.
    ///
    /// It can change even if there are no events, because a day has ended.
    package let next: LogCursor
    /// Whether nothing more was there to read.
    package let isAtEnd: Bool
}

/// Where the readers of a destination are.
package struct ForwardingCursors: Sendable {
    /// The destination's own reader.
    package let live: LogCursor
    /// The reader of its replay, and where the replay ends; nil if there is none.
    package let replay: (cursor: LogCursor, end: LogCursor)?
}
