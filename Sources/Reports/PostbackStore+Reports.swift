package import PostbackStore
import PostgresClient

/// How long a report may take.
package struct ReportLimits: Sendable, Equatable {
    /// The greatest time of one statement: until the first rows, and from some rows to the next.
    package var statement = Duration.seconds(30)
    /// The greatest time until the reader has taken some rows.
    package var taking = Duration.seconds(60)
    /// The greatest time for all rows.
    package var whole = Duration.seconds(600)

    /// The usual limits.
    package init() {}
}

/// Why a report ended before its last row.
package enum ReportError: Error, Sendable, CustomStringConvertible {
    /// Its statement took too long, or needed too much room on the disk of the database.
    case tooLarge
    /// The reader did not take its rows in time.
    case readTooSlowly
    /// The database failed after some rows.
    case cutOff(any Error)

    /// What happened.
    package var description: String {
        switch self {
        case .tooLarge: "the report is too large"
        case .readTooSlowly: "the rows were not read in time"
        case .cutOff(let error): "\(error)"
        }
    }

    /// Tells apart what failed; `hasBegun` if rows were passed on before.
    init?(_ error: any Error, hasBegun: Bool) {
        switch error {
        case is RowHandoff<OpenReport.Part>.Stop: self = .readTooSlowly
        case let error as PostgresError where error.isDeadline || error.sqlState == .configurationLimitExceeded:
            self = .tooLarge
        default:
            guard hasBegun else { return nil }
            self = .cutOff(error)
        }
    }
}

extension PostbackStore {
    /// The reports that the database has.
    ///
    /// They are read once, since only a migration changes them.
    package func reportCatalog() async throws -> ReportCatalog {
        if let catalog = shared.reportCatalog as? ReportCatalog { return catalog }
        let catalog = try await reports.withStatement("report_catalog") { connection in
            try ReportCatalog(connection.query(ReportCatalog.statement))
        }
        shared.reportCatalog = catalog
        return catalog
    }

    /// Begins a report; it returns when the first rows are there.
    ///
    /// Its rows are those of one snapshot. If a standby cancels it before the first rows, because it needs rows that
    /// replication must remove (40001), it begins again.
    ///
    /// - Throws: `ReportError`, or an error of the database.
    package func open(_ query: ReportQuery, limits: ReportLimits = ReportLimits()) async throws -> OpenReport {
        let handoff = RowHandoff<OpenReport.Part>()
        Task {
            do {
                try await pass(query, limits, to: handoff)
                handoff.finish(.success(()))
            } catch {
                handoff.finish(.failure(error))
            }
        }
        guard case .beginning(let lag, let nextPage) = try await handoff.next() else { throw ReportError.tooLarge }
        return OpenReport(query, lag, nextPage: nextPage, handoff)
    }

    private func pass(
        _ query: ReportQuery, _ limits: ReportLimits, to handoff: RowHandoff<OpenReport.Part>
    ) async throws {
        try await reports.withStatement("report") { connection in
            var isPrimary = false
            do {
                isPrimary = try connection.transaction("report", statementTimeout: limits.statement) { connection in
                    try ReportPassing(query, limits, handoff).run(on: connection) == nil
                }
            } catch {
                throw ReportError(error, hasBegun: handoff.hasBegun) ?? error
            }
            // The standby was away when this session was made; the next one looks for it again.
            if isPrimary, reportsPreferStandby { connection.close() }
        }
    }
}
