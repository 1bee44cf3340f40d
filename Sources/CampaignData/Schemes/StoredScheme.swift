package import AdAttribution
package import ConversionSchemes
package import Money
package import PostgresClient

/// A stored scheme, as a list shows it.
package struct StoredScheme: Sendable, Equatable {
    /// The advertised app.
    package let appID: AppID
    /// When it is valid; a successor may have closed it.
    package let validity: Validity
    /// The name.
    package let name: SchemeName
    /// The currency of all amounts; nil only if there are none.
    package let currency: CurrencyCode?
    /// When the file was loaded.
    package let loadedAt: PostgresTimestamp
    /// Whether a postback of the app was received since it began.
    package let isInUse: Bool

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        let app: Int64 = try columns.next()
        let validity = try Validity(&columns)
        let name: String = try columns.next()
        let currency: String? = try columns.next()
        guard let app = AppID(app), let name = SchemeName(name), currency.map({ CurrencyCode($0) != nil }) ?? true
        else {
            throw StoredValueError(table: "conversion_scheme")
        }
        appID = app
        self.validity = validity
        self.name = name
        self.currency = currency.flatMap { CurrencyCode($0) }
        loadedAt = try columns.next()
        isInUse = try columns.next()
    }
}
