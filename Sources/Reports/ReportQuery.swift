package import AdAttribution
package import PostgresClient

/// What is asked of a report: days, filters, order and a page; everything is checked.
package struct ReportQuery: Sendable, Equatable {
    /// The most rows of a page.
    package static let greatestLimit = 1_000_000
    /// The number of days if none are given.
    static let usualDays: Int32 = 30

    /// The report.
    package let report: Report
    /// The first and the last day; nil if the report takes no days.
    package let days: ClosedRange<PostgresDate>?
    let options: [ReportOption: ReportValue]
    let filters: [ReportFilter]
    /// All columns that decide the order.
    ///
    /// The last ones are the dimensions, so no two rows are equal in it.
    let order: [ReportOrder]
    /// The most rows of the answer; nil for all.
    package let limit: Int?
    /// Where the page before ended, a value for each column of `order`; nil for the first page.
    let place: [ReportValue?]?

    /// Reads parameters, as a query of HTTP or options of a command line have them.
    ///
    /// A parameter is one of `report.parameters`, or the name of a column. Then the column must have the value, or one
    /// of the values if it is there several times. An empty value stands for NULL. `COLUMN.min` and `COLUMN.max` bound a
    /// number or a day. Without a filter on them, `environment` is `production` and `developer_copy` is false.
    ///
    /// - Parameter today: Today, in the time zone of the reports.
    /// - Throws: The parameter that breaks a rule.
    package init(
        _ report: Report, parameters: [(name: String, value: String)], today: PostgresDate
    ) throws(FieldError) {
        var reader = ReportParameterReader(report, parameters)
        self.report = report
        days = try reader.days(today: today)
        limit = try reader.limit()
        order = try reader.order()
        options = try reader.options()
        let page = try reader.page()
        filters = try reader.filters()
        if let page {
            let token = ReportPage(of: Self.identity(report, days, options, filters, order))
            guard let place = token.place(page, order) else {
                throw FieldError(field: "page", rule: "must be \(ReportParameter.page.rule)")
            }
            self.place = place
        } else {
            place = nil
        }
    }

    /// The token of the page after a row.
    ///
    /// - Parameter values: The row's values of the columns of `order`.
    func page(after values: [String?]) -> String {
        ReportPage(of: Self.identity(report, days, options, filters, order)).token(after: values)
    }

    /// A text that two queries share if a page of the one continues in the other.
    ///
    /// The size of a page may change from page to page.
    private static func identity(
        _ report: Report, _ days: ClosedRange<PostgresDate>?, _ options: [ReportOption: ReportValue],
        _ filters: [ReportFilter], _ order: [ReportOrder]
    ) -> String {
        let options = options.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
        let parts = ["\(report.name) \(days.map { "\($0)" } ?? "")"] + options + filters.map { "\($0)" }
        return (parts + order.map { "\($0.column.name) \($0.isDescending)" }).joined(separator: "\u{0}")
    }
}

/// A column that decides the order of rows.
///
/// NULL comes last in both directions.
struct ReportOrder: Sendable, Equatable {
    let column: ReportColumn
    let isDescending: Bool
}

/// A condition on a column.
struct ReportFilter: Sendable, Equatable, CustomStringConvertible {
    enum Condition: Sendable, Equatable {
        /// It is one of these; nil stands for NULL.
        case isOne([ReportValue?])
        case atLeast(ReportValue)
        case atMost(ReportValue)
    }

    let column: ReportColumn
    let condition: Condition

    var description: String { "\(column.name) \(condition)" }
}
