extension ReportSummary {
    /// The column of a cut table that says which row it is: 1, 2 and so on, then one number more for the row of all
    /// others, and NULL for the row of all.
    package static let placeName = "table_place"
    /// The column of a cut table that says how many groups a row stands for.
    package static let countName = "table_groups"

    /// The names of the columns of a cut table.
    package var cutNames: [String] { names + [Self.placeName, Self.countName] }

    /// The statement of a cut table: its first rows, one row for all others, and one for all.
    ///
    /// Figures of several groups are made of the same parts as those of one. So a share is that of the sums, and money is
    /// NULL if any of it is not known. Only what is `greatest` is always NULL. The rows of the report are read once.
    ///
    /// - Parameter count: How many rows it has before that of all others.
    package func cutText(_ values: inout StatementValues, after count: Int) -> String {
        var statement = ReportStatement(query, values: values)
        let parts = terms.map { Self.parts($0, &statement) }
        let keys = groups.map(ReportStatement.name)
        func names(_ place: Int) -> [String] { parts[place].indices.map { "part_\(place)_\($0)" } }
        let wholes = zip(terms, parts).map { $0.operation.whole(of: $1) }
        var cells = zip(groupCells, keys).map { "\($0) AS \($1)" }
        for place in parts.indices { cells += zip(parts[place], names(place)).map { "\($0) AS \($1)" } }
        cells.append("row_number() OVER (ORDER BY \(order(groupCells + wholes))) AS place")
        let counted = select(cells, &statement)
        let shownKeys = keys.map { "CASE WHEN place <= \(count) THEN \($0) END AS \($0)" }
        let figures = terms.indices.map { place in
            let operation = terms[place].operation
            return "\(operation.whole(of: names(place).map(operation.combined))) "
                + "AS \(ReportStatement.quoted(terms[place].name))"
        }
        values = statement.values
        return """
            SELECT \((keys + figures).joined(separator: ",\n       ")),
                   \(Self.placeName), count(*) AS \(Self.countName)
              FROM (
            SELECT \(shownKeys.joined(separator: ",\n       ")),
                   \(terms.indices.flatMap(names).joined(separator: ", ")),
                   least(place, \(count + 1)) AS \(Self.placeName)
              FROM (
            \(counted)
            ) AS counted
            ) AS cut
             GROUP BY GROUPING SETS ((\((keys + [Self.placeName]).joined(separator: ", "))), ())
             ORDER BY \(Self.placeName) NULLS LAST
            """
    }
}
