import AdAttribution
import ArgumentParser
import ConversionSchemes
import Money

/// The command `PostbackServer scheme import`.
struct SchemeImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a scheme of another company's file, and print it; needs no database.",
        discussion: """
            What a scheme can't say is told on standard error, with its place.

            Examples:
              PostbackServer scheme import --from meta --app-id 525463029 --valid-from 2026-10-01 config.json
              PostbackServer scheme import --from branch --currency USD --valid-from 2026-10-01 mapping.json
            """)

    @Option(help: ArgumentHelp("The format: \(SchemeFormat.names).", valueName: "format"))
    var from: SchemeFormat

    @Argument(help: ArgumentHelp("The file, or - for standard input.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The App Store id of the app, if the file does not say it.", valueName: "app"))
    var appID: Int64?

    @Option(help: ArgumentHelp("The beginning of the validity: a day, or a time in UTC.", valueName: "date"))
    var validFrom: SchemeTime

    @Option(help: ArgumentHelp("Its end, excluded. (default: open)", valueName: "date"))
    var validTo: SchemeTime?

    @Option(help: ArgumentHelp("The name of the scheme. (default: imported from the format)", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("The currency of the amounts. (default: that of the file)", valueName: "code"))
    var currency: String?

    @Option(
        help: ArgumentHelp(
            "For how many hours after the install the app sets values. (default: what the file says)",
            valueName: "hours"))
    var measurementWindowHours: Int64?

    func validate() throws {
        _ = try importOptions()
    }

    func run() throws {
        let options = try importOptions()
        let bytes = try SchemeFiles.bytes(file)
        let converted = SchemeFiles.read(file) { () throws(SchemeRefusal) in try from.read(bytes, options) }
        guard let converted else { throw RefusedFiles(count: 1) }
        for note in converted.notes { ProgramLog.write("note: \(note)") }
        try SchemeFiles.output(converted.output.file)
    }

    private func importOptions() throws -> ImportOptions {
        guard let name = SchemeName(name ?? "imported from \(from.rawValue)") else {
            throw ValidationError("--name must be \(SchemeName.rule).")
        }
        var options = ImportOptions(name: name, validFrom: validFrom)
        options.validTo = validTo
        if let appID {
            guard let app = AppID(appID) else { throw ValidationError("--app-id must be \(AppID.rule), not \(appID).") }
            options.appID = app
        }
        if let currency {
            guard let code = CurrencyCode(currency) else {
                throw ValidationError("--currency must be \(CurrencyCode.rule), not \(currency).")
            }
            options.currency = code
        }
        if let hours = measurementWindowHours {
            guard HourRange(low: 1, high: hours) != nil else {
                throw ValidationError(
                    "--measurement-window-hours must be \(ConversionScheme.measurementWindowRule), not \(hours).")
            }
            options.measurementWindowHours = hours
        }
        return options
    }
}

extension SchemeFormat: ExpressibleByArgument {
    /// The names of all formats.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

extension SchemeTime: ExpressibleByArgument {
    /// Reads a day, or a time in UTC.
    package init?(argument: String) {
        self.init(timeOrDay: argument)
    }
}
