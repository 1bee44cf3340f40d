package import PostgresClient

/// A value of a report's column, read from a text.
package enum ReportValue: Sendable, Hashable {
    case text(String)
    case integer(Int64)
    /// A decimal number, as the database writes it.
    case decimal(String)
    case boolean(Bool)
    case date(PostgresDate)

    /// What the values of a column are.
    package enum Form: String, Sendable, CaseIterable {
        case text
        case integer
        case decimal
        case boolean
        case date

        /// The form of a type of the database.
        init(databaseType: String) {
            switch databaseType {
            case "smallint", "integer", "bigint": self = .integer
            case "numeric": self = .decimal
            case "boolean": self = .boolean
            case "date": self = .date
            default: self = .text
            }
        }

        /// Whether there is a least and a greatest one.
        var isOrdered: Bool { self == .integer || self == .decimal || self == .date }

        /// What a text of it must be, to complete "must be …".
        package var rule: String {
            switch self {
            case .text: "at most \(ReportValue.greatestText) bytes of text"
            case .integer: "an integer"
            case .decimal: "a decimal number such as 12.5"
            case .boolean: "true or false"
            case .date: PostgresDate.rule
            }
        }
    }

    /// The most bytes of a text.
    private static let greatestText = 2_000

    /// Reads a text; nil if it is not of this form.
    init?(_ text: String, _ form: Form) {
        switch form {
        case .text:
            // PostgreSQL has no texts with a zero character.
            guard text.utf8.count <= Self.greatestText, !text.utf8.contains(0) else { return nil }
            self = .text(text)
        case .integer:
            guard let integer = Int64(text), text.first != "+" else { return nil }
            self = .integer(integer)
        case .decimal:
            guard text.utf8.count <= 60, text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) != nil else { return nil }
            self = .decimal(text)
        case .boolean:
            guard let boolean = Bool(text) else { return nil }
            self = .boolean(boolean)
        case .date:
            guard let date = PostgresDate(text) else { return nil }
            self = .date(date)
        }
    }

    /// The value in SQL, as people write it.
    var literal: String {
        switch self {
        case .text(let text): "'" + text.replacing("'", with: "''") + "'"
        case .integer(let integer): "\(integer)"
        case .decimal(let decimal): decimal
        case .boolean(let boolean): "\(boolean)"
        case .date(let date): "date '\(date)'"
        }
    }

    /// Adds it as a parameter of a statement; returns what the statement has in its place.
    func bind(to bindings: inout PostgresBindings) -> String {
        switch self {
        case .text(let text): bindings.append(text)
        case .integer(let integer): bindings.append(integer)
        case .decimal(let decimal): bindings.append(decimal)
        case .boolean(let boolean): bindings.append(boolean)
        case .date(let date): bindings.append(date)
        }
        let place = "$\(bindings.count)"
        if case .decimal = self { return place + "::numeric" }
        return place
    }
}
