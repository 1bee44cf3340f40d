package import Money
package import PostgresClient
package import TabularFiles

/// A row of `attribution.currency_rate`: how many units of a currency one US dollar is, from a day on.
package struct CurrencyRate: Sendable, Equatable {
    /// The first day on which the rate counts.
    package let day: PostgresDate
    /// The currency.
    package let currency: CurrencyCode
    /// Units of the currency for one US dollar, more than 0.
    package let unitsPerUSD: Amount
}

extension CurrencyRate: TableRecord {
    /// The columns of a file of rates, named as in the table.
    package enum Column: Int, TableColumn {
        case day
        case currency
        case unitsPerUSD

        /// The name in a file.
        package var name: String {
            switch self {
            case .day: "day"
            case .currency: "currency"
            case .unitsPerUSD: "units_per_usd"
            }
        }

        /// Each row has all values.
        package var isRequired: Bool { true }
    }

    /// Reads a row of a file of rates.
    package init?(_ fields: inout FieldReader<Column>) {
        let day = fields.required(.day, PostgresDate.rule, PostgresDate.init)
        let currency = fields.required(.currency, CurrencyCode.rule, CurrencyCode.init)
        let units = fields.required(.unitsPerUSD, Amount.rule(from: .millionth, to: .greatest)) {
            Amount($0).flatMap { $0 > .zero ? $0 : nil }
        }
        if currency == .usDollar, let units, units != .one {
            fields.refuse(.unitsPerUSD, "must be 1 for USD")
        }
        guard fields.errors.isEmpty, let day, let currency, let units else { return nil }
        self.init(day: day, currency: currency, unitsPerUSD: units)
    }
}
