/// How much the quarantine may hold, of each of its two halves: bodies that Apple signed, and all others.
public struct QuarantineLimits: Sendable, Equatable {
    /// The most rows of each half.
    public var maximumRows: Int64
    /// The most bytes of each half, counted over bodies and their reasons.
    public var maximumBytes: Int64

    /// Limits for each half; by default 50,000 rows and 256 MiB.
    public init(maximumRows: Int64 = 50_000, maximumBytes: Int64 = 256 << 20) {
        self.maximumRows = maximumRows
        self.maximumBytes = maximumBytes
    }
}
