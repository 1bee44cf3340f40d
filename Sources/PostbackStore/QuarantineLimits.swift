/// The limits of each half of the quarantine: bodies that Apple signed, and all others.
package struct QuarantineLimits: Sendable, Equatable {
    /// The greatest number of rows in each half.
    package var maximumRows: Int64
    /// The greatest number of bytes in each half: bodies, details, User-Agents, and 512 for each row.
    package var maximumBytes: Int64

    /// Takes the limits for each half; by default 50,000 rows and 256 MiB.
    package init(maximumRows: Int64 = 50_000, maximumBytes: Int64 = 256 << 20) {
        self.maximumRows = maximumRows
        self.maximumBytes = maximumBytes
    }
}
