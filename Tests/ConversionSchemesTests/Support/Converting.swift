import AdAttribution
import ConversionSchemes
import Money
import Testing

/// What a test says about itself, in place of an operator.
func options(
    app: Int64? = nil, currency: String? = nil, _ change: (inout ImportOptions) -> Void = { _ in }
) throws -> ImportOptions {
    var options = ImportOptions(
        name: try #require(SchemeName("test")), validFrom: try #require(SchemeTime("2026-10-01T00:00:00Z")))
    options.appID = app.flatMap { AppID($0) }
    options.currency = currency.flatMap { CurrencyCode($0) }
    change(&options)
    return options
}

extension ConversionScheme {
    /// The scheme that an import of the tests gives, with these members.
    static func imported(app: Int64 = 525_463_029, _ members: String) throws -> ConversionScheme {
        try SchemeFile.read(Array(text(members).replacing("525463029", with: "\(app)").utf8))
    }

    /// The canonical file, for messages.
    var canonical: String { String(decoding: file, as: UTF8.self) }
}

extension Converted {
    /// The notes, a line each.
    var lines: [String] { notes.map(\.description) }
}

extension SchemeFormat {
    /// Reads a text.
    func read(_ text: String, _ options: ImportOptions) throws -> Converted<ConversionScheme> {
        try read(Array(text.utf8), options)
    }

    /// Reads what this format writes of a scheme.
    func readBack(_ scheme: ConversionScheme) throws -> ConversionScheme {
        try read(write(scheme).output, try options(app: scheme.appID.value, currency: scheme.currency?.text)).output
    }

    /// The problems of a file that must be refused.
    func refusal(_ text: String, _ options: ImportOptions) throws -> [String] {
        do throws(SchemeErrors) {
            let converted = try read(Array(text.utf8), options)
            Issue.record("was accepted: \(converted.output.canonical)")
            return []
        } catch {
            return error.errors.map(\.description)
        }
    }
}
