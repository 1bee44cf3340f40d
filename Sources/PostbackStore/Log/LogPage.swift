/// A part of the log.
public struct LogPage: Sendable {
    /// The events.
    ///
    /// Those of one lane are in the order in which they took effect.
    public let events: [LogEvent]
    /// The cursor after these events.
    ///
    /// It can change even if there are no events, because a day has ended.
    public let next: LogCursor
    /// Whether nothing more was there to read.
    ///
    /// If false, read the next page at once.
    public let isAtEnd: Bool
}
