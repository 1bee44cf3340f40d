public import PostgresClient

/// A body in the quarantine, whatever number of reasons it was refused for.
public struct QuarantinedBody: Sendable, Equatable {
    /// SHA-256 of the body.
    public let digest: [UInt8]
    /// When it was received for the first time.
    public let firstSeenAt: PostgresTimestamp
    /// The body, byte for byte.
    public let body: [UInt8]

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        digest = try columns.next()
        firstSeenAt = try columns.next()
        body = try columns.next()
    }
}
