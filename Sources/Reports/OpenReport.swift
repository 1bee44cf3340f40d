import PostgresClient

/// A report whose rows are being read.
///
/// The connection waits in its transaction until all rows are taken, or until the last reference to this is gone.
package final class OpenReport: Sendable {
    /// What is asked.
    package let query: ReportQuery
    /// How far the standby was behind just before it was asked; nil if a primary makes the report.
    package let replicationLag: ReplicationLag?
    /// The token of the next page; nil if this is the last one, or if there is no limit.
    package let nextPage: String?
    private let handoff: RowHandoff<Part>

    /// What the thread of the connection passes on.
    enum Part: Sendable {
        case beginning(ReplicationLag?, nextPage: String?)
        case rows(ArraySlice<PostgresRow>)
    }

    init(_ query: ReportQuery, _ lag: ReplicationLag?, nextPage: String?, _ handoff: RowHandoff<Part>) {
        self.query = query
        replicationLag = lag
        self.nextPage = nextPage
        self.handoff = handoff
    }

    deinit {
        handoff.leave()
    }

    /// Some rows more, each with its cells as texts; nil at the end.
    ///
    /// - Throws: What ended the report.
    package func next() async throws -> [[String?]]? {
        guard case .rows(let rows) = try await handoff.next() else { return nil }
        let columns = query.report.columns.indices
        return try rows.map { row in try columns.map { try row.decode(String?.self, at: $0) } }
    }
}
