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
              PostbackServer scheme import --from meta --app-id 525463029 \\
                --valid-from 2026-10-01 config.json
              PostbackServer scheme import --from branch --currency USD \\
                --valid-from 2026-10-01 mapping.json
            """)

    @Option(help: ArgumentHelp("The format: \(SchemeFormat.names).", valueName: "format"))
    var from: SchemeFormat

    @Argument(help: ArgumentHelp("The file, or - for standard input.", valueName: "file"))
    var file: String

    @Option(
        help: ArgumentHelp("The App Store id of the app, if the file does not say it.", valueName: "app"),
        transform: OptionValue.app)
    var appID: AppID?

    @Option(
        help: ArgumentHelp("The beginning of the validity: a day, or a time in UTC.", valueName: "date"),
        transform: OptionValue.schemeTime)
    var validFrom: SchemeTime

    @Option(
        help: ArgumentHelp("Its end, excluded. (default: open)", valueName: "date"), transform: OptionValue.schemeTime)
    var validTo: SchemeTime?

    @Option(
        help: ArgumentHelp("The name of the scheme. (default: imported from the format)", valueName: "text"),
        transform: OptionValue.schemeName)
    var name: SchemeName?

    @Option(
        help: ArgumentHelp("The currency of the amounts. (default: that of the file)", valueName: "code"),
        transform: OptionValue.currency)
    var currency: CurrencyCode?

    @Option(
        help: ArgumentHelp(
            "For how many hours after the install the app sets values. (default: what the file says)",
            valueName: "hours"), transform: OptionValue.measurementWindow)
    var measurementWindowHours: Int64?

    func run() throws {
        guard let name = name ?? SchemeName("imported from \(from.rawValue)") else {
            throw ValidationError("--name must be given.")
        }
        var options = ImportOptions(name: name, validFrom: validFrom)
        options.appID = appID
        options.validTo = validTo
        options.currency = currency
        options.measurementWindowHours = measurementWindowHours
        let bytes = try SchemeFiles.bytes(file)
        let converted = SchemeFiles.read(file) { () throws(SchemeErrors) in try from.read(bytes, options) }
        guard let converted else { throw RefusedFiles(count: 1) }
        for note in converted.notes { ProgramLog.write("note: \(note)") }
        try StandardOutput.write(converted.output.file)
    }
}

extension SchemeFormat: ExpressibleByArgument {
    /// The names of all formats.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")
}
