/// A part of the log.
public struct LogPage: Sendable {
    /// The events.
    ///
    /// Those of one lane are in the order in which they took effect.
    public let events: [LogEvent]
    /// The place behind the events.
    ///
    /// It may move on though there are no events, if a day has ended.
    public let next: LogCursor
    /// Whether nothing was left to read.
    ///
    /// If not, read on at once.
    public let isAtEnd: Bool
}
