/// Reads the fields of a row into typed values, and keeps what is wrong with each of them.
package struct FieldReader<Column: TableColumn> {
    private let row: TableRow<Column>
    /// What was wrong so far.
    package private(set) var errors: [TableError] = []

    /// Starts reading a row.
    init(_ row: TableRow<Column>) {
        self.row = row
    }

    /// A value that may be missing.
    ///
    /// - Parameters:
    ///   - rule: What the text must be, to complete "must be …".
    ///   - read: Makes the value of a text; nil if the text breaks the rule.
    /// - Returns: The value; nil if the field is empty, or wrong.
    package mutating func optional<Value>(
        _ column: Column, _ rule: @autoclosure () -> String, _ read: (String) -> Value?
    ) -> Value? {
        guard let text = row[column] else { return nil }
        guard let value = read(text) else {
            refuse(column, "must be \(rule())", value: text)
            return nil
        }
        return value
    }

    /// A value that each row must have.
    ///
    /// - Returns: The value; nil if the field is empty or wrong, which is an error then.
    package mutating func required<Value>(
        _ column: Column, _ rule: @autoclosure () -> String, _ read: (String) -> Value?
    ) -> Value? {
        guard row[column] != nil else {
            refuse(column, "must be given: \(rule())")
            return nil
        }
        return optional(column, rule(), read)
    }

    /// Adds an error with a field.
    package mutating func refuse(_ column: Column, _ rule: String, value: String? = nil) {
        errors.append(TableError(line: row.line, field: column.name, rule: rule, value: value))
    }
}
