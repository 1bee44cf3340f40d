/// How far a reader of the log is behind.
public struct LogReaderLag: Sendable, Hashable {
    /// The name of the reader; `figures` folds the log into the daily tables.
    public let reader: String
    /// The age of the oldest event that the reader has not read, in seconds; 0 if it has read everything.
    public let seconds: Double
}
