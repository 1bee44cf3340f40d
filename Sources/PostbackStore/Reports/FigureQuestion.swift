import PostgresClient

/// A statement whose answer is shown: the one that runs, and the same for people, with its values in the text.
package struct FigureQuestion: Sendable, Equatable {
    /// The names of the columns of the answer.
    package let names: [String]
    /// The statement for people: in psql it gives the same figures.
    package let sql: String
    private let step: PostgresPipelineStep

    /// Takes a statement.
    ///
    /// - Parameter text: Writes the statement, which has these columns.
    package init(_ names: [String], _ text: (inout StatementValues) -> String) {
        self.names = names
        var literals = StatementValues(areLiterals: true)
        sql = text(&literals) + ";"
        var values = StatementValues()
        let cells = names.map { ReportStatement.quoted($0) + "::text" }.joined(separator: ", ")
        let statement = "SELECT \(cells) FROM (\n\(text(&values))\n) AS answer"
        step = PostgresPipelineStep(PostgresStatement("figure", statement), values.bindings)
    }

    /// Asks for a summary of a report.
    package init(_ summary: ReportSummary) {
        self.init(summary.names) { summary.text(&$0) }
    }

    /// Reads the rows, with a text or NULL for each name.
    func rows(on connection: isolated PostgresConnection) throws -> [[String?]] {
        try connection.query(step.statement, step.bindings).map { row in
            try names.indices.map { try row.decode(String?.self, at: $0) }
        }
    }

    /// Whether two ask the same.
    package static func == (left: Self, right: Self) -> Bool { left.sql == right.sql }
}

extension PostbackStore {
    /// Reads the answers of questions, all of one snapshot.
    ///
    /// - Returns: The rows of each, with a text or NULL for each of its names.
    /// - Throws: `ReportError`, or an error of the database.
    package func read(
        _ questions: [FigureQuestion], limits: ReportLimits = ReportLimits()
    ) async throws -> [[[String?]]] {
        do {
            return try await reports.withTransaction(
                "figures", isolation: .repeatableRead, statementTimeout: limits.statement
            ) { connection in
                var bindings = PostgresBindings()
                bindings.append("\(limits.taking.components.seconds * 2)s")
                try connection.query(ReportStatement.settings, bindings)
                return try questions.map { try $0.rows(on: connection) }
            }
        } catch {
            throw ReportError(error, hasBegun: false) ?? error
        }
    }

    /// Reads the answer of a question that is about now, so never from a standby.
    package func readNow(_ question: FigureQuestion) async throws -> [[String?]] {
        try await pool.withStatement("figure_now") { try question.rows(on: $0) }
    }
}
