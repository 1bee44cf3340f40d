package import AdAttribution
import Encodings

/// Figures of a report summed over its rows, for each value of some of its columns.
///
/// So a chart by day or a table by network reads the same view or function as the report, with the same filters.
package struct ReportSummary: Sendable {
    /// How a figure is made of the rows of a group.
    package enum Operation: Sendable, Equatable {
        /// The sum of columns of numbers; 0 without rows.
        case sum([String])
        /// The sum of a column of money, each row in a currency that is asked for, at the rate of its day.
        ///
        /// Only rows in which another column is above 0 count. It is NULL if one of them has no amount or no rate, or if
        /// there is none. In a report without days, nothing is converted: an amount in another currency has no rate.
        case money(String, of: String, in: String)
        /// The sum of a column over the rows whose money has no rate; 0 without such rows.
        case withoutRate(String, money: String, in: String)
        /// The greatest number of a column; NULL without rows. For groups of one row, it is the number of the row.
        case greatest(String)
        /// The sum of a column; NULL without a number, or if another column counts anything without a currency rate.
        case priced(String, without: String)
        /// Whether a column of booleans is true in all rows; NULL without rows.
        case every(String)
        /// The sum of some columns, divided by the sum of others, to six places; NULL if that is 0.
        case ratio([String], [String])
    }

    /// A figure that is asked for.
    package struct Figure: Sendable, Equatable {
        /// Its name in the answer.
        package let name: String
        let operation: Operation
        let conditions: [String: String]

        /// Takes a name, how the figure is made, and the values that columns of its rows must have.
        package init(_ name: String, _ operation: Operation, where conditions: [String: String] = [:]) {
            self.name = name
            self.operation = operation
            self.conditions = conditions
        }
    }

    /// A figure whose columns are known.
    struct Term: Sendable, Equatable {
        let name: String
        let operation: Operation
        let filters: [ReportFilter]
    }

    /// Days, filters and arguments.
    package let query: ReportQuery
    let groups: [ReportColumn]
    let terms: [Term]
    let order: [(place: Int, isDescending: Bool)]
    let limit: Int?
    /// A text that a column of the group must contain.
    let search: String?

    /// The names of the columns of the answer: the columns of the groups, and then the figures.
    package var names: [String] { groups.map(\.name) + terms.map(\.name) }

    /// Reads what is asked.
    ///
    /// - Parameters:
    ///   - query: The report, with days and filters; its order and its page are not used.
    ///   - groups: Columns of the report.
    ///   - figures: What is computed for each group.
    ///   - sort: The name of a column of the answer, with `-` before it if the greatest comes first; by default the
    ///     groups in their order. NULL comes last.
    ///   - limit: The most rows; nil for all.
    ///   - search: Only groups with a column that contains this text, in any case. Apps are found by their names too.
    /// - Throws: The name that the report does not have.
    package init(
        _ query: ReportQuery, by groups: [String], _ figures: [Figure], sort: String? = nil, limit: Int? = nil,
        search: String? = nil
    ) throws(FieldError) {
        self.query = query
        self.limit = limit
        self.search = search
        var columns: [ReportColumn] = []
        for name in groups { columns.append(try Self.column(name, query.report)) }
        self.groups = columns
        var terms: [Term] = []
        for figure in figures {
            for name in figure.operation.columns { _ = try Self.column(name, query.report) }
            var filters: [ReportFilter] = []
            for (name, text) in figure.conditions.sorted(by: { $0.key < $1.key }) {
                let column = try Self.column(name, query.report)
                guard let value = ReportValue(text, column.form) else {
                    throw FieldError(field: name, rule: "must be \(column.form.rule)", value: text)
                }
                filters.append(ReportFilter(column: column, condition: .isOne([value])))
            }
            terms.append(Term(name: figure.name, operation: figure.operation, filters: filters))
        }
        self.terms = terms
        let names = groups + figures.map(\.name)
        var order: [(place: Int, isDescending: Bool)] = []
        if let sort {
            let isDescending = sort.hasPrefix("-")
            guard let place = names.firstIndex(of: String(isDescending ? sort.dropFirst() : sort[...])) else {
                throw FieldError(
                    field: "sort", rule: "must be one of \(names.joined(separator: ", ")), also with - before it",
                    value: sort)
            }
            order.append((place, isDescending))
        }
        let others = groups.indices.filter { place in !order.contains { $0.place == place } }
        self.order = order + others.map { ($0, false) }
    }

    private static func column(_ name: String, _ report: Report) throws(FieldError) -> ReportColumn {
        guard let column = report.column(name) else {
            throw FieldError(field: name.prefix(bytes: 60), rule: "is no column of \(report.name)")
        }
        return column
    }
}

extension ReportSummary.Operation {
    var columns: [String] {
        switch self {
        case .sum(let columns): columns
        case .money(let money, let values, _), .withoutRate(let values, let money, _): [money, values, "currency"]
        case .every(let column), .greatest(let column): [column]
        case .priced(let column, let counted): [column, counted]
        case .ratio(let columns, let divisors): columns + divisors
        }
    }
}
