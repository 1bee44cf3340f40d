import PostgresClient

/// Reads the rows of a report on the thread of a connection, and passes them on.
struct ReportPassing: Sendable {
    private let query: ReportQuery
    private let limits: ReportLimits
    private let handoff: RowHandoff<OpenReport.Part>
    private let end: ContinuousClock.Instant

    init(_ query: ReportQuery, _ limits: ReportLimits, _ handoff: RowHandoff<OpenReport.Part>) {
        self.query = query
        self.limits = limits
        self.handoff = handoff
        end = .now.advanced(by: limits.whole)
    }

    /// Passes on the beginning and all rows; returns how far the standby was behind.
    ///
    /// The connection has a transaction.
    func run(on connection: isolated PostgresConnection) throws -> ReplicationLag? {
        var bindings = PostgresBindings()
        bindings.append("\(limits.taking.components.seconds * 2)s")
        try connection.query(ReportStatement.settings, bindings)
        // The lag comes first, so the report is not older than it says.
        let lag = try ReplicationLag(connection.query(ReplicationLag.statement).first)
        let declaration = ReportStatement.declare(query)
        try connection.query(declaration.statement, declaration.bindings)
        let nextPage = try nextPage(on: connection)
        var rows = try ArraySlice(connection.query(ReportStatement.fetch))
        try pass(.beginning(lag, nextPage: nextPage))
        var remaining = query.limit ?? .max
        while !rows.isEmpty, remaining > 0 {
            let passed = rows.prefix(remaining)
            remaining -= passed.count
            try pass(.rows(passed))
            rows = try ArraySlice(connection.query(ReportStatement.fetch))
        }
        return lag
    }

    /// The token of the next page, if there is one.
    ///
    /// The cursor is at its beginning before and after it.
    private func nextPage(on connection: isolated PostgresConnection) throws -> String? {
        guard let limit = query.limit else { return nil }
        try connection.run(ReportStatement.move(behind: limit - 1))
        let last = try connection.query(ReportStatement.fetch)
        try connection.run(ReportStatement.move(behind: 0))
        guard last.count > 1, let row = last.first else { return nil }
        let columns = query.report.columns
        let places = query.order.map { order in columns.firstIndex(of: order.column) ?? 0 }
        return query.page(after: try places.map { try row.decode(String?.self, at: $0) })
    }

    private func pass(_ part: OpenReport.Part) throws {
        let remaining = ContinuousClock.now.duration(to: end)
        guard remaining > .zero else { throw ReportError.readTooSlowly }
        try handoff.pass(part, within: min(limits.taking, remaining))
    }
}
