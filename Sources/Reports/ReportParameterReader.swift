import AdAttribution
import Encodings
import PostgresClient

/// Takes the parameters of a query one after the other; what is left at the end are filters.
struct ReportParameterReader {
    /// The most values of a column.
    private static let greatestValues = 100

    private let report: Report
    private var parameters: [(name: String, value: String)]

    init(_ report: Report, _ parameters: [(name: String, value: String)]) {
        self.report = report
        self.parameters = parameters
    }

    /// Takes a parameter that may be there once; nil if it is not there.
    private mutating func take(_ parameter: ReportParameter) throws(FieldError) -> String? {
        let found = parameters.filter { $0.name == parameter.name }
        guard found.count <= 1 else { throw FieldError(field: parameter.name, rule: "must be there once") }
        parameters.removeAll { $0.name == parameter.name }
        return found.first?.value
    }

    private static func refusal(_ parameter: ReportParameter, _ value: String) -> FieldError {
        FieldError(field: parameter.name, rule: "must be \(parameter.rule)", value: value)
    }

    mutating func days(today: PostgresDate) throws(FieldError) -> ClosedRange<PostgresDate>? {
        guard report.takesDays else { return nil }
        let to = try day(.to) ?? today
        let from = try day(.from) ?? PostgresDate(daysSince2000: to.daysSince2000 - ReportQuery.usualDays + 1)
        guard from <= to else { throw FieldError(field: "from", rule: "must not be after to") }
        return from...to
    }

    private mutating func day(_ parameter: ReportParameter) throws(FieldError) -> PostgresDate? {
        guard let text = try take(parameter) else { return nil }
        guard let day = PostgresDate(text) else { throw Self.refusal(parameter, text) }
        return day
    }

    mutating func limit() throws(FieldError) -> Int? {
        guard let text = try take(.limit) else { return nil }
        guard let limit = Int(text), (1...ReportQuery.greatestLimit).contains(limit) else {
            throw Self.refusal(.limit, text)
        }
        return limit
    }

    mutating func page() throws(FieldError) -> String? { try take(.page) }

    /// The columns to sort by, and then the dimensions, so that no two rows are equal.
    mutating func order() throws(FieldError) -> [ReportOrder] {
        var order: [ReportOrder] = []
        if let text = try take(.sort) {
            for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                let name = word.hasPrefix("-") ? word.dropFirst() : word
                guard let column = report.column(name) else { throw unsortable(name) }
                guard !order.contains(where: { $0.column == column }) else {
                    throw FieldError(field: "sort", rule: "must name a column once", value: String(name))
                }
                order.append(ReportOrder(column: column, isDescending: word.hasPrefix("-")))
            }
        }
        for column in report.columns where column.isDimension && !order.contains(where: { $0.column == column }) {
            order.append(ReportOrder(column: column, isDescending: false))
        }
        return order
    }

    /// The arguments of the report's function.
    ///
    /// A name may be that of a column too. If it is there several times, or empty, it is left as a filter.
    mutating func options() throws(FieldError) -> [ReportOption: ReportValue] {
        guard case .range(let options) = report.source else { return [:] }
        var values: [ReportOption: ReportValue] = [:]
        for option in options {
            let parameter = option.parameter
            let found = parameters.filter { $0.name == parameter.name }
            if report.column(parameter.name) != nil, found.count != 1 || found.first?.value.isEmpty == true { continue }
            guard let text = try take(parameter) else { continue }
            guard let value = option.value(text) else { throw Self.refusal(parameter, text) }
            values[option] = value
        }
        return values
    }

    /// The conditions on columns: everything that is left.
    mutating func filters() throws(FieldError) -> [ReportFilter] {
        var filters: [ReportFilter] = []
        for column in report.columns {
            let found = parameters.filter { $0.name == column.name }.map(\.value)
            parameters.removeAll { $0.name == column.name }
            if found.isEmpty {
                guard let usual = Self.usual[column.name] else { continue }
                filters.append(ReportFilter(column: column, condition: .isOne([usual])))
            } else {
                filters.append(try Self.filter(column, found))
            }
        }
        for (name, value) in parameters {
            guard let filter = try bound(name, value) else { throw unknown(name) }
            filters.append(filter)
        }
        return filters
    }

    /// What a report shows of columns without a filter.
    private static let usual: [String: ReportValue] = [
        "environment": .text(AttributionEnvironment.production.rawValue), "developer_copy": .boolean(false),
    ]

    private static func filter(_ column: ReportColumn, _ texts: [String]) throws(FieldError) -> ReportFilter {
        guard texts.count <= greatestValues else {
            throw FieldError(field: column.name, rule: "must be there at most \(greatestValues) times")
        }
        var values: [ReportValue?] = []
        for text in texts { values.append(text.isEmpty ? nil : try value(text, column, column.name)) }
        return ReportFilter(column: column, condition: .isOne(values))
    }

    /// `COLUMN.min` or `COLUMN.max`; nil if the name is no such one.
    private func bound(_ name: String, _ text: String) throws(FieldError) -> ReportFilter? {
        let parts = name.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let column = report.column(parts[0]) else { return nil }
        guard column.form.isOrdered, ["min", "max"].contains(parts[1]) else {
            throw FieldError(
                field: name.prefix(bytes: 60),
                rule: column.form.isOrdered
                    ? "must be \(column.name).min or \(column.name).max" : "only numbers and days have .min and .max")
        }
        let value = try Self.value(text, column, name)
        return ReportFilter(column: column, condition: parts[1] == "min" ? .atLeast(value) : .atMost(value))
    }

    private static func value(
        _ text: String, _ column: ReportColumn, _ field: String
    ) throws(FieldError) -> ReportValue {
        if column.name == "environment", AttributionEnvironment(rawValue: text) == nil {
            throw FieldError(field: field, rule: "must be production, development or test", value: text)
        }
        guard let value = ReportValue(text, column.form) else {
            throw FieldError(field: field, rule: "must be \(column.form.rule)", value: text)
        }
        return value
    }

    private func unsortable(_ name: Substring) -> FieldError {
        let columns = report.columns.map(\.name).joined(separator: ", ")
        let word = name.isEmpty ? "they are" : "\(String(name).prefix(bytes: 60)) is none of"
        return FieldError(field: "sort", rule: "must be \(ReportParameter.sort.rule); \(word) \(columns)")
    }

    private func unknown(_ name: String) -> FieldError {
        let known = report.parameters.map(\.name) + report.columns.map(\.name)
        return FieldError(
            field: name.prefix(bytes: 60),
            rule: "is no parameter of this report; it has \(known.joined(separator: ", "))")
    }
}
