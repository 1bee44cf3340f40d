extension ReportSummary {
    /// The statement.
    package func text(_ values: inout StatementValues) -> String {
        var statement = ReportStatement(query, values: values)
        let expressions = groupCells + terms.map { Self.expression($0, &statement) }
        let cells = zip(expressions, names).map { "\($0) AS \(ReportStatement.quoted($1))" }
        var text = select(cells, &statement)
        let order = order(expressions)
        if !order.isEmpty { text += "\n ORDER BY " + order }
        if let limit { text += "\n LIMIT \(limit)" }
        values = statement.values
        return text
    }

    /// The columns of the groups.
    var groupCells: [String] { groups.map { "row." + ReportStatement.name($0) } }

    /// Cells of the groups of the report, without an order.
    func select(_ cells: [String], _ statement: inout ReportStatement) -> String {
        var text = "SELECT " + cells.joined(separator: ",\n       ") + "\n  FROM \(statement.source()) AS row"
        var conditions = statement.conditions()
        if let search { conditions.append(found(search, &statement)) }
        if !conditions.isEmpty { text += "\n WHERE " + conditions.joined(separator: "\n   AND ") }
        if !groups.isEmpty { text += "\n GROUP BY " + groupCells.joined(separator: ", ") }
        return text
    }

    /// The order of the groups, whose figures are these expressions; empty if there is none.
    func order(_ expressions: [String]) -> String {
        order.map { place, isDescending in "\(expressions[place]) \(isDescending ? "DESC" : "ASC") NULLS LAST" }
            .joined(separator: ", ")
    }

    /// Whether a column of the group contains a text.
    private func found(_ search: String, _ statement: inout ReportStatement) -> String {
        let text = statement.bind(.text(search))
        func contains(_ cell: String) -> String { "strpos(lower(\(cell)), lower(\(text))) > 0" }
        let choices = groups.flatMap { column in
            let cell = "row." + ReportStatement.name(column)
            let isApp = ["advertised_app_id", "source_app_id"].contains(column.name)
            return [contains(cell + "::text")]
                + (isApp
                    ? ["\(cell) IN (SELECT app_id FROM attribution.app_name WHERE \(contains("app_name")))"] : [])
        }
        return "(" + choices.joined(separator: "\n        OR ") + ")"
    }

    /// A figure of a group.
    static func expression(_ term: Term, _ statement: inout ReportStatement) -> String {
        term.operation.whole(of: parts(term, &statement))
    }

    /// What a figure of a group is made of, such as the sums that are divided.
    static func parts(_ term: Term, _ statement: inout ReportStatement) -> [String] {
        var filters: [String] = []
        for filter in term.filters { filters.append(statement.condition(filter)) }
        let filter = filters.isEmpty ? "" : " FILTER (WHERE \(filters.joined(separator: " AND ")))"
        func plain(_ column: String) -> String { "sum(row.\(ReportStatement.quoted(column)))\(filter)" }
        func sum(_ columns: [String]) -> String {
            columns.map { "coalesce(\(plain($0)), 0)" }.joined(separator: " + ")
        }
        switch term.operation {
        case .sum(let columns): return [sum(columns)]
        case .money(let column, let values, let currency):
            let cell = converted(column, currency, &statement)
            let known = (filters + ["row.\(ReportStatement.quoted(values)) > 0"]).joined(separator: " AND ")
            return ["count(*)", "count(\(cell))", "sum(\(cell))"].map { "\($0) FILTER (WHERE \(known))" }
        case .withoutRate(let values, let column, let currency):
            let lacking =
                filters + [
                    "row.\(ReportStatement.quoted(column)) IS NOT NULL",
                    "\(converted(column, currency, &statement)) IS NULL",
                ]
            return [
                "coalesce(sum(row.\(ReportStatement.quoted(values))) "
                    + "FILTER (WHERE \(lacking.joined(separator: " AND "))), 0)"
            ]
        case .greatest(let column): return ["max(row.\(ReportStatement.quoted(column)))\(filter)"]
        case .priced(let column, let counted): return [plain(column), sum([counted])]
        case .every(let column): return ["bool_and(row.\(ReportStatement.quoted(column)))\(filter)"]
        case .ratio(let columns, let divisors): return [sum(columns), sum(divisors)]
        }
    }

    /// An amount of a row in a currency; NULL without a rate.
    private static func converted(
        _ column: String, _ currency: String, _ statement: inout ReportStatement
    ) -> String {
        let (cell, target) = ("row.\(ReportStatement.quoted(column))", statement.bind(.text(currency)))
        return statement.hasDay
            ? "attribution.converted(\(cell), row.currency, \(target), row.day)"
            : "CASE WHEN row.currency = \(target) OR \(cell) = 0 THEN \(cell) END"
    }
}

extension ReportSummary.Operation {
    /// A figure, from its parts.
    func whole(of parts: [String]) -> String {
        switch self {
        case .money: "CASE WHEN \(parts[0]) = \(parts[1]) THEN \(parts[2]) END"
        case .priced: "CASE WHEN \(parts[1]) = 0 THEN \(parts[0]) END"
        case .ratio: "attribution.per(\(parts[0]), \(parts[1]))"
        case .sum, .withoutRate, .greatest, .every: parts[0]
        }
    }

    /// A part of several groups, from that of each.
    func combined(_ part: String) -> String {
        switch self {
        case .sum, .money, .withoutRate, .priced, .ratio: "sum(\(part))"
        case .every: "bool_and(\(part))"
        // The greatest of several groups is a figure of none.
        case .greatest: "CASE WHEN count(*) = 1 THEN max(\(part)) END"
        }
    }
}
