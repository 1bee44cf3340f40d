import AdAttribution
import Money
import PostgresClient

/// A report of the database that can be asked for by name.
package struct Report: Sendable, Equatable {
    /// Where its rows come from, and which days it takes.
    enum Source: Sendable, Equatable {
        /// The function `report_NAME(first_day, last_day, …)`, which sums over the days of a range.
        case range([ReportOption])
        /// The view `report_NAME_all`, which has a column `day`.
        case daily
        /// The view `report_NAME_all`, which is about all days.
        case allDays
    }

    /// The name of its function or view, without `report_` and `_all`.
    package let name: String
    /// What its rows are: the comment in the database.
    package let meaning: String
    let source: Source
    /// Its columns, in order.
    package let columns: [ReportColumn]

    /// The parameters that it takes beside names of columns.
    package var parameters: [ReportParameter] {
        var parameters: [ReportParameter] = []
        if source != .allDays { parameters += [.from, .to] }
        if case .range(let options) = source { parameters += options.map(\.parameter) }
        return parameters + [.sort, .limit, .page]
    }

    /// All parameters that reports take, beside names of columns.
    package static let allParameters: [ReportParameter] =
        [.from, .to] + ReportOption.allCases.map(\.parameter) + [.sort, .limit, .page]

    /// Whether it takes days.
    package var takesDays: Bool { source != .allDays }

    /// The column with a name.
    package func column(_ name: some StringProtocol) -> ReportColumn? { columns.first { $0.name == name } }
}

/// A parameter of a report, beside the names of its columns.
package struct ReportParameter: Sendable, Equatable {
    /// The name.
    package let name: String
    /// What it does, and its default.
    package let meaning: String
    /// What a value must be, to complete "must be …".
    package let rule: String

    static let from = ReportParameter(
        name: "from", meaning: "the first day; by default 29 days before `to`", rule: PostgresDate.rule)
    static let to = ReportParameter(
        name: "to", meaning: "the last day, included; by default today", rule: PostgresDate.rule)
    static let sort = ReportParameter(
        name: "sort", meaning: "columns, the most important first; by default the dimensions in their order",
        rule: "names of columns with commas between them, each with - before it if the greatest comes first")
    static let limit = ReportParameter(
        name: "limit", meaning: "the most rows of the answer, which then names the next page; by default all rows",
        rule: "an integer from 1 to \(ReportQuery.greatestLimit)")
    static let page = ReportParameter(
        name: "page", meaning: "where the page before ended; the other parameters must be the same",
        rule: "the token of a page of the same query, with the same parameters, `from` and `to` too")
}

/// A further parameter of a report's function.
enum ReportOption: String, Sendable, CaseIterable {
    case advertisedAppID = "an_advertised_app_id"
    case currency = "in_currency"
    case minimum
    case minimumInstalls = "minimum_installs"

    /// The parameter.
    var parameter: ReportParameter {
        switch self {
        case .advertisedAppID:
            ReportParameter(
                name: "advertised_app_id", meaning: "one advertised app, which is faster; by default all",
                rule: AppID.rule)
        case .currency:
            ReportParameter(
                name: "in_currency",
                meaning: """
                    converts money into this currency; by default into that of most rows of spend, and beside \
                    customers of the App Store into that of the app's scheme, or not at all
                    """,
                rule: CurrencyCode.rule)
        case .minimum:
            ReportParameter(
                name: "minimum", meaning: "how many values a campaign needs for a model of its own",
                rule: "an integer from 1 to \(Int32.max)")
        case .minimumInstalls:
            ReportParameter(
                name: "minimum_installs",
                meaning: """
                    how many installs a row of an allocation has at least; never fewer than the installation allows
                    """,
                rule: "an integer from 1 to \(Int32.max)")
        }
    }

    /// The argument of the function; nil if the text breaks the rule.
    func value(_ text: String) -> ReportValue? {
        switch self {
        case .advertisedAppID: Int64(text).flatMap(AppID.init).map { .integer($0.value) }
        case .currency: CurrencyCode(text).map { .text($0.text) }
        case .minimum, .minimumInstalls: Int32(text).flatMap { $0 > 0 ? .integer(Int64($0)) : nil }
        }
    }

    /// The type of the argument.
    var type: String {
        switch self {
        case .advertisedAppID: "bigint"
        case .currency: "text"
        case .minimum, .minimumInstalls: "integer"
        }
    }
}

/// A column of a report.
package struct ReportColumn: Sendable, Equatable {
    /// The name, as the database has it.
    package let name: String
    /// What its values are.
    package let form: ReportValue.Form
    /// Whether it says what a row is about, and not how much.
    ///
    /// The dimensions of a report are its key: no two rows have the same.
    package let isDimension: Bool
    /// What it means, and its unit.
    package let meaning: String
}
