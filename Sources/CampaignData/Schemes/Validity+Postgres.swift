package import ConversionSchemes
package import PostgresClient

extension PostgresTimestamp {
    /// Takes the time of a scheme.
    package init(_ time: SchemeTime) {
        self.init(millisecondsSince1970: time.secondsSince1970 * 1_000)
    }
}

extension SchemeTime {
    /// Takes a stored time; nil if it is not in whole seconds, or out of range.
    init?(_ timestamp: PostgresTimestamp) {
        let seconds = timestamp.millisecondsSince1970 / 1_000
        self.init(secondsSince1970: seconds)
        guard PostgresTimestamp(self) == timestamp else { return nil }
    }
}

extension Validity {
    /// Reads the columns `valid_from` and `valid_to`.
    init(_ columns: inout ColumnCursor) throws {
        let from: PostgresTimestamp = try columns.next()
        let to: PostgresTimestamp? = try columns.next()
        let end = to.flatMap { SchemeTime($0) }
        guard let from = SchemeTime(from), (to == nil) == (end == nil), let validity = Validity(from: from, to: end)
        else { throw StoredValueError(table: "conversion_scheme") }
        self = validity
    }
}
