package import AdAttribution
package import Money

/// What a foreign file does not say about itself.
package struct ImportOptions: Sendable {
    /// The advertised app; nil if the file must say it.
    package var appID: AppID?
    /// The name that the scheme gets.
    package var name: SchemeName
    /// The beginning of its validity.
    package var validFrom: SchemeTime
    /// The end of its validity; nil if it is open.
    package var validTo: SchemeTime?
    /// The currency of the amounts; nil for that of the file.
    package var currency: CurrencyCode?
    /// For how many hours the app sets values; nil for what the file says.
    package var measurementWindowHours: Int64?

    /// Takes what is always needed.
    package init(name: SchemeName, validFrom: SchemeTime) {
        self.name = name
        self.validFrom = validFrom
    }

    /// The facts of a scheme, to read its export back.
    init(_ scheme: ConversionScheme) {
        self.init(name: scheme.name, validFrom: scheme.validity.from)
        appID = scheme.appID
        validTo = scheme.validity.to
        currency = scheme.currency
        measurementWindowHours = scheme.measurementWindowHours
    }
}
