extension ReportSummary {
    /// The statement.
    package func text(_ values: inout StatementValues) -> String {
        var statement = ReportStatement(query, values: values)
        let groups = groups.map { "row." + ReportStatement.name($0) }
        var expressions = groups
        for term in terms { expressions.append(Self.expression(term, &statement)) }
        let cells = zip(expressions, names).map { "\($0) AS \(ReportStatement.quoted($1))" }
        var text = "SELECT " + cells.joined(separator: ",\n       ") + "\n  FROM \(statement.source()) AS row"
        let conditions = statement.conditions()
        if !conditions.isEmpty { text += "\n WHERE " + conditions.joined(separator: "\n   AND ") }
        if !groups.isEmpty { text += "\n GROUP BY " + groups.joined(separator: ", ") }
        let order = order.map { place, isDescending in
            "\(expressions[place]) \(isDescending ? "DESC" : "ASC") NULLS LAST"
        }
        if !order.isEmpty { text += "\n ORDER BY " + order.joined(separator: ", ") }
        if let limit { text += "\n LIMIT \(limit)" }
        values = statement.values
        return text
    }

    private static func expression(_ term: Term, _ statement: inout ReportStatement) -> String {
        var filters: [String] = []
        for filter in term.filters { filters.append(statement.condition(filter)) }
        let filter = filters.isEmpty ? "" : " FILTER (WHERE \(filters.joined(separator: " AND ")))"
        func sum(_ column: String) -> String { "coalesce(sum(row.\(ReportStatement.quoted(column)))\(filter), 0)" }
        switch term.operation {
        case .sum(let columns): return columns.map(sum).joined(separator: " + ")
        case .money(let column, let values, let currency):
            let cell = converted(column, currency, &statement)
            let known = (filters + ["row.\(ReportStatement.quoted(values)) > 0"]).joined(separator: " AND ")
            return "CASE WHEN count(*) FILTER (WHERE \(known)) = count(\(cell)) FILTER (WHERE \(known)) "
                + "THEN sum(\(cell)) FILTER (WHERE \(known)) END"
        case .withoutRate(let values, let column, let currency):
            let lacking =
                filters + [
                    "row.\(ReportStatement.quoted(column)) IS NOT NULL",
                    "\(converted(column, currency, &statement)) IS NULL",
                ]
            return "coalesce(sum(row.\(ReportStatement.quoted(values))) "
                + "FILTER (WHERE \(lacking.joined(separator: " AND "))), 0)"
        case .greatest(let column): return "max(row.\(ReportStatement.quoted(column)))\(filter)"
        case .every(let column): return "bool_and(row.\(ReportStatement.quoted(column)))\(filter)"
        case .ratio(let columns, let divisors):
            return "attribution.per(\(columns.map(sum).joined(separator: " + ")), "
                + "\(divisors.map(sum).joined(separator: " + ")))"
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
