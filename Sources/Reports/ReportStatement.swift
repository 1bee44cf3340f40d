import PostgresClient

/// The SQL of a report's query.
///
/// Names come from the catalog only, and every value is a parameter. The text that people read has literals instead.
struct ReportStatement {
    private(set) var values: StatementValues
    private let query: ReportQuery

    /// Begins without SQL.
    ///
    /// - Parameter values: Where the values of the query go.
    init(_ query: ReportQuery, values: StatementValues = StatementValues()) {
        self.query = query
        self.values = values
    }

    /// Declares the cursor `report_rows`, whose columns are texts.
    ///
    /// With a limit it has one row more, if there is one. Then the answer can name the next page before its first row,
    /// so the cursor must go back.
    static func declare(_ query: ReportQuery) -> PostgresPipelineStep {
        var statement = ReportStatement(query)
        let cells = query.report.columns.map { "row.\(name($0))::text" }.joined(separator: ", ")
        let source = statement.source()
        let parts = statement.parts()
        let conditions = statement.conditions()
        let order = query.order.map(sorted).joined(separator: ", ")
        let limit = query.limit.map { "\n LIMIT \($0 + 1)" } ?? ""
        func select(_ more: [String]) -> String {
            let all = conditions + more
            return "SELECT row.* FROM \(source) AS row"
                + (all.isEmpty ? "" : "\n WHERE " + all.joined(separator: "\n   AND ")) + "\n ORDER BY \(order)\(limit)"
        }
        var rows = select([])
        if let parts {
            let day = "row.\(name(parts.column))"
            // The rows of one day or week are found in their order, those of several are sorted.
            rows = """
                SELECT row.* FROM (
                \(parts.text)
                ) AS part
                 CROSS JOIN LATERAL (
                (\(select(["part.first_day = part.last_day", "\(day) = part.first_day"])))
                UNION ALL
                (\(select(["part.first_day < part.last_day", "\(day) BETWEEN part.first_day AND part.last_day"])))
                ) AS row
                 ORDER BY part.number, \(order)\(limit)
                """
        }
        // A sort keeps the order of a subquery. Texts that are made behind it are made for the rows that are fetched.
        let text = """
            DECLARE report_rows \(query.limit == nil ? "NO SCROLL" : "SCROLL") CURSOR FOR
            SELECT \(cells) FROM (
            \(rows)
            ) AS row
            """
        return PostgresPipelineStep(PostgresStatement("report", text), statement.values.bindings)
    }

    static func name(_ column: ReportColumn) -> String { quoted(column.name) }

    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    private static func sorted(_ order: ReportOrder) -> String {
        "row.\(name(order.column)) \(order.isDescending ? "DESC" : "ASC") NULLS LAST"
    }

    /// What the text has in place of a value.
    mutating func bind(_ value: ReportValue) -> String { values.bind(value) }

    /// Whether a row of the report is of one day.
    var hasDay: Bool { query.report.column("day") != nil }

    mutating func source() -> String {
        guard case .range(let options) = query.report.source, let days = query.days else {
            return "attribution." + Self.quoted("report_\(query.report.name)_all")
        }
        var arguments = [bind(.date(days.lowerBound)), bind(.date(days.upperBound))]
        for option in options {
            guard let value = query.options[option] else { continue }
            arguments.append("\(option.rawValue) => \(bind(value))::\(option.type)")
        }
        // The filters say which rows are meant.
        arguments.append("an_environment => NULL")
        if query.report.column("developer_copy") != nil { arguments.append("copies => NULL") }
        return "attribution." + Self.quoted("report_\(query.report.name)") + "(\(arguments.joined(separator: ", ")))"
    }

    mutating func conditions() -> [String] {
        var conditions: [String] = []
        if query.report.source == .daily, let days = query.days {
            conditions.append("row.day BETWEEN \(bind(.date(days.lowerBound))) AND \(bind(.date(days.upperBound)))")
        }
        for filter in query.filters { conditions.append(condition(filter)) }
        if let place = query.place { conditions.append(after(ArraySlice(zip(query.order, place)))) }
        return conditions
    }

    /// The days of a page in parts, in its order: one day, the next one, two, four and so on.
    ///
    /// Weeks likewise, by their Mondays. A row of one day or week is a sum over lines. PostgreSQL sums those of a part
    /// only if the parts before it have too few rows. It is nil if the rows of the page do not begin with the day or the
    /// week. It is nil, too, if these are filtered once more.
    private mutating func parts() -> (column: ReportColumn, text: String)? {
        guard query.limit != nil, let days = query.days,
            let place = query.order.firstIndex(where: { !isOneValue($0.column) })
        else { return nil }
        let column = query.order[place].column
        guard ["day", "week"].contains(column.name), !query.filters.contains(where: { $0.column == column })
        else { return nil }
        let isDescending = query.order[place].isDescending
        var (first, last) = (days.lowerBound, days.upperBound)
        if case .date(let day)? = query.place?[place] {
            if isDescending { last = min(last, day) } else { first = max(first, day) }
        }
        var (firstDay, lastDay) = (bind(.date(first)) + "::date", bind(.date(last)) + "::date")
        var (begin, end) = ("(1 << number) / 2", "(1 << number) - 1")
        if column.name == "week" {
            (firstDay, lastDay) = ("attribution.week(\(firstDay))", "attribution.week(\(lastDay))")
            (begin, end) = ("(1 << number) / 2 * 7", "((1 << number) - 1) * 7")
        }
        let part =
            isDescending
            ? "greatest(\(firstDay), \(lastDay) - (\(end))) AS first_day, \(lastDay) - \(begin) AS last_day"
            : "\(firstDay) + \(begin) AS first_day, least(\(lastDay), \(firstDay) + (\(end))) AS last_day"
        // 23 parts are all days of 10,000 years.
        let text = """
            SELECT number, \(part)
              FROM generate_series(0, 22) AS number
             WHERE \(begin) <= \(lastDay) - \(firstDay)
             ORDER BY number
            """
        return (column, text)
    }

    /// Whether all rows have the same value of a column by the filters.
    private func isOneValue(_ column: ReportColumn) -> Bool {
        query.filters.contains { filter in
            guard filter.column == column, case .isOne(let values) = filter.condition else { return false }
            return values.count == 1
        }
    }

    mutating func condition(_ filter: ReportFilter) -> String {
        let column = "row." + Self.name(filter.column)
        switch filter.condition {
        case .atLeast(let value): return "\(column) >= \(bind(value))"
        case .atMost(let value): return "\(column) <= \(bind(value))"
        case .isOne(let values):
            var choices: [String] = []
            let known = values.compactMap(\.self)
            if known.count == 1 {
                choices.append("\(column) = \(bind(known[0]))")
            } else if !known.isEmpty {
                var places: [String] = []
                for value in known { places.append(bind(value)) }
                choices.append("\(column) IN (\(places.joined(separator: ", ")))")
            }
            if values.contains(nil) { choices.append("\(column) IS NULL") }
            return choices.count == 1 ? choices[0] : "(\(choices.joined(separator: " OR ")))"
        }
    }

    /// The rows behind a place in the order, in which NULL comes last.
    private mutating func after(_ place: ArraySlice<(ReportOrder, ReportValue?)>) -> String {
        guard let (order, value) = place.first else { return "false" }
        let column = "row." + Self.name(order.column)
        let rest = place.dropFirst()
        guard let value else { return "(\(column) IS NULL AND \(after(rest)))" }
        let place = bind(value)
        return
            "(\(column) \(order.isDescending ? "<" : ">") \(place) OR \(column) IS NULL OR \(column) = \(place) AND "
            + after(rest) + ")"
    }

    /// Settings of the transaction: texts of days as ISO 8601 writes them, a plan for all rows and these values, no
    /// writing.
    ///
    /// The others suit reports: their queries are short to run, so compiling them takes longer, and sums stay in memory.
    /// While a client reads, the session is idle in a transaction.
    static let settings = PostgresStatement(
        "report_settings",
        """
        SELECT set_config('DateStyle', 'ISO', true), set_config('cursor_tuple_fraction', '1', true),
               set_config('transaction_read_only', 'on', true), set_config('jit', 'off', true),
               set_config('work_mem', '32MB', true), set_config('plan_cache_mode', 'force_custom_plan', true),
               set_config('idle_in_transaction_session_timeout', $1::text, true)
        """)

    /// The next rows.
    static let fetch = PostgresStatement("report_fetch", "FETCH FORWARD 250 FROM report_rows")

    /// Goes behind a row; behind row 0 is the beginning.
    static func move(behind row: Int) -> PostgresStatement {
        PostgresStatement("report_move", "MOVE ABSOLUTE \(row) IN report_rows")
    }
}

/// The values of a statement: parameters if it runs, literals if people read it.
package struct StatementValues: Sendable {
    private(set) var bindings = PostgresBindings()
    private let areLiterals: Bool

    /// Begins without values.
    ///
    /// - Parameter areLiterals: Whether values are written into the text, for people who paste it elsewhere.
    package init(areLiterals: Bool = false) {
        self.areLiterals = areLiterals
    }

    /// What the text has in place of a value.
    package mutating func bind(_ value: ReportValue) -> String {
        areLiterals ? value.literal : value.bind(to: &bindings)
    }

    /// A condition that a column is one of some texts.
    package mutating func isOne(_ column: String, of texts: [String]) -> String {
        var places: [String] = []
        for text in texts { places.append(bind(.text(text))) }
        return places.isEmpty ? "false" : "\(column) IN (\(places.joined(separator: ", ")))"
    }
}
