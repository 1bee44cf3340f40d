import PostgresClient

/// What an archive is compared by: whose it is, and the time that it covers.
struct ReconciliationScope: Sendable {
    let side: ArchiveSide
    let times: ClosedRange<PostgresTimestamp>?
    let timesBy: Agreement.RangeSource
    /// The postbacks of the archive.
    let postbacks: Int64

    /// Takes what is known, and reads the rest from the postbacks of the archive.
    ///
    /// The postbacks of a network's archive are developer copies here, and those of a developer's are not.
    ///
    /// - Throws: `ReconciliationError`, or an error of the database.
    init(_ knowledge: ArchiveKnowledge, over connection: isolated PostgresConnection) throws {
        guard let row = try connection.query(ReconciliationStatements.overview).first else {
            throw ReconciliationError.nothingOfOurs
        }
        var columns = ColumnCursor(row)
        postbacks = try columns.next()
        let (allAreCopies, anyIsCopy) = (try columns.next(Bool.self), try columns.next(Bool.self))
        let first = try columns.next(PostgresTimestamp?.self)
        let last = try columns.next(PostgresTimestamp?.self)
        let hasTimes = try columns.next(Bool.self)
        guard postbacks > 0 else { throw ReconciliationError.nothingOfOurs }
        if let side = knowledge.side {
            self.side = side
        } else {
            guard allAreCopies == anyIsCopy else { throw ReconciliationError.unknownSide }
            side = anyIsCopy ? .network : .developer
        }
        if let times = knowledge.times {
            self.times = times
            timesBy = .option
        } else if let first, let last {
            times = first...last
            timesBy = hasTimes ? .archive : .matches
        } else {
            times = nil
            timesBy = .nothing
        }
    }
}
