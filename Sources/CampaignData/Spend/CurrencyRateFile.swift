import Money
import PostgresClient
package import TabularFiles

/// The rates of a file, each currency at most once a day.
package struct CurrencyRateFile: Sendable {
    private struct Key: Hashable {
        let day: PostgresDate
        let currency: CurrencyCode
    }

    /// The rates, in the order of the file.
    package private(set) var rates: [CurrencyRate] = []
    private var lines: [Key: Int] = [:]

    /// Starts without rates.
    package init() {}

    /// Reads a whole file.
    ///
    /// - Throws: `TableErrors`.
    package init(reading file: [UInt8]) throws {
        var rates = CurrencyRateFile()
        try RecordReader<CurrencyRate>.read(file) { try rates.take($0, line: $1) }
        self = rates
    }

    /// Takes the next rate.
    ///
    /// - Throws: `TableError` if an earlier row has the same day and currency.
    package mutating func take(_ rate: CurrencyRate, line: Int) throws(TableError) {
        if let other = lines.updateValue(line, forKey: Key(day: rate.day, currency: rate.currency)) {
            throw TableError(
                line: line, field: CurrencyRate.Column.day.name, rule: "line \(other) has the same day and currency")
        }
        rates.append(rate)
    }
}
