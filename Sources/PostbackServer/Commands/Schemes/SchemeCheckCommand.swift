import AdAttribution
import ArgumentParser
import ConversionSchemes
import StrictJSON

/// The command `PostbackServer scheme check`.
struct SchemeCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check files of schemes, alone and against each other; needs no database.",
        discussion: """
            A file that breaks a rule is refused with line, field and rule. Values without a meaning are legal and \
            listed. It does not compare the files with schemes that are stored; `load --dry-run` does.

            Example:
              PostbackServer scheme check examples/scheme.json
            """)

    @Argument(help: ArgumentHelp("The files.", valueName: "file"))
    var files: [String]

    func run() throws {
        let schemes = try SchemeFiles.schemes(files)
        for (path, scheme) in zip(files, schemes) {
            try StandardOutput.line(
                "\(JSONText.line(path)): good: app \(scheme.appID.value), \(scheme.name.text), valid \(scheme.validity.shown)"
            )
            for notice in scheme.notices { ProgramLog.write("\(JSONText.line(path)): notice: \(notice)") }
        }
    }
}
