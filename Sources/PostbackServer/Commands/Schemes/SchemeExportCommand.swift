import ArgumentParser
import ConversionSchemes

/// The command `PostbackServer scheme export`.
struct SchemeExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a scheme in another company's format, and print it; needs no database.",
        discussion: """
            What the format can't say is told on standard error, with its place.

            Example:
              PostbackServer scheme export --to google-ads examples/scheme.json
            """)

    @Option(help: ArgumentHelp("The format: \(SchemeFormat.names).", valueName: "format"))
    var to: SchemeFormat

    @Argument(help: ArgumentHelp("The file of a scheme, or - for standard input.", valueName: "file"))
    var file: String

    func run() throws {
        guard let scheme = try SchemeFiles.schemes([file]).first else { return }
        let converted = to.write(scheme)
        for note in converted.notes { ProgramLog.write("note: \(note)") }
        try StandardOutput.write(converted.output)
    }
}
