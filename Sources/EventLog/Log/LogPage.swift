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
