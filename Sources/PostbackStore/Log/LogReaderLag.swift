/// How far a reader of the log is behind.
public struct LogReaderLag: Sendable, Hashable {
    /// The name of the reader; `figures` keeps the daily figures.
    public let reader: String
    /// Seconds since the oldest event was written that the reader has not read; 0 if it has read all.
    public let seconds: Double
}
