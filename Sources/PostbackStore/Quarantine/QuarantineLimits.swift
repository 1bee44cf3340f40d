/// The limits of each half of the quarantine: bodies that Apple signed, and all others.
public struct QuarantineLimits: Sendable, Equatable {
    /// The greatest number of rows in each half.
    public var maximumRows: Int64
    /// The greatest number of bytes in each half: bodies, details, User-Agents, and 512 for each row.
    public var maximumBytes: Int64

    /// Takes the limits for each half; by default 50,000 rows and 256 MiB.
    public init(maximumRows: Int64 = 50_000, maximumBytes: Int64 = 256 << 20) {
        self.maximumRows = maximumRows
        self.maximumBytes = maximumBytes
    }
}
