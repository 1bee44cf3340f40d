package import PostbackStore
import PostgresClient

/// A statement whose answer is shown: the one that runs, and the same for people, with its values in the text.
package struct FigureQuestion: Sendable {
    /// The names of the columns of the answer.
    package let names: [String]
    /// The statement for people: in psql it gives the same figures.
    package let sql: String
    /// Column and value that select the rows; nil if all rows are meant.
    private let part: (column: String, text: String)?
    /// The names of all columns of the statement, of which those of the answer are some.
    private let columns: [String]
    /// The statement with its values as literals, whichever part is meant.
    private let whole: String
    private let step: PostgresPipelineStep

    /// Takes a statement.
    ///
    /// - Parameters:
    ///   - names: The names of the columns of the answer.
    ///   - columns: The names of all columns of the statement; nil if it has no others.
    ///   - part: The rows that are meant. Questions about parts of one statement are asked once.
    ///   - text: Writes the statement, which has these columns.
    package init(
        _ names: [String], of columns: [String]? = nil, part: (column: String, text: String)? = nil,
        _ text: (inout StatementValues) -> String
    ) {
        self.names = names
        self.part = part
        self.columns = columns ?? names
        var literals = StatementValues(areLiterals: true)
        whole = text(&literals)
        if let part {
            let condition = "\(ReportStatement.quoted(part.column)) = \(literals.bind(.text(part.text)))"
            let shown = columns == nil ? "*" : names.map(ReportStatement.quoted).joined(separator: ", ")
            sql = "SELECT \(shown)\n  FROM (\n\(whole)\n) AS answer\n WHERE \(condition);"
        } else {
            sql = whole + ";"
        }
        var values = StatementValues()
        let cells = self.columns.map { ReportStatement.quoted($0) + "::text" }.joined(separator: ", ")
        let statement = "SELECT \(cells) FROM (\n\(text(&values))\n) AS answer"
        step = PostgresPipelineStep(PostgresStatement("figure", statement), values.bindings)
    }

    /// Asks for a summary of a report.
    package init(_ summary: ReportSummary) {
        self.init(summary.names) { summary.text(&$0) }
    }

    /// Asks for the cut table of a summary: its first rows, one for all others, and one for all.
    package init(_ summary: ReportSummary, cutAfter count: Int) {
        self.init(summary.cutNames) { summary.cutText(&$0, after: count) }
    }

    /// Reads the rows of the statement, with a text or NULL for each of its columns.
    func rows(on connection: isolated PostgresConnection) throws -> [[String?]] {
        try connection.query(step.statement, step.bindings).map { row in
            try columns.indices.map { try row.decode(String?.self, at: $0) }
        }
    }

    /// Of the rows of the statement, those that are meant, with a text or NULL for each name.
    package func meant(_ rows: [[String?]]) -> [[String?]] {
        var meant = rows
        if let part, let place = columns.firstIndex(of: part.column) { meant = rows.filter { $0[place] == part.text } }
        guard names != columns else { return meant }
        let places = names.compactMap(columns.firstIndex)
        return meant.map { row in places.map { row[$0] } }
    }

    /// Whether two are about one statement, of which they may mean different rows.
    package func sharesStatement(with other: Self) -> Bool { whole == other.whole }
}

extension PostbackStore {
    /// Reads the answers of questions, all of one snapshot.
    ///
    /// - Returns: The rows of each statement, of which a question means some (`FigureQuestion.meant`).
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
                // A worker begins by planning what this session has planned long ago, and takes a core from counting.
                try connection.query(Self.withoutWorkers)
                return try questions.map { try $0.rows(on: connection) }
            }
        } catch {
            throw ReportError(error, hasBegun: false) ?? error
        }
    }

    private static let withoutWorkers = PostgresStatement(
        "figures_without_workers", "SELECT set_config('max_parallel_workers_per_gather', '0', true)")

    /// Reads the answer of a question that is about now, so never from a standby.
    package func readNow(_ question: FigureQuestion) async throws -> [[String?]] {
        try await pool.withStatement("figure_now") { try question.rows(on: $0) }
    }
}
